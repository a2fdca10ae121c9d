import FoundationEssentials
import Glibc
import KairanClient
import Node
import Synchronization
import Testing
import Wire

@testable import LocalAPI

/// Content that is too large for a message's record.
extension `The program kairan` {
    @Test(.timeLimit(.minutes(5))) func `a large file is uploaded before the message is sent`() async throws {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            let calls = { node.state.withLock { $0.calls.suffix(2).joined(separator: ", ") } }
            let handedIn = { node.state.withLock { $0.handedIn } }
            let id = FakeNode.payloadID.text
            let text = String(repeating: "x", count: 16_384)
            #expect(try await kairan("send", "notes", input: text).status == 0)
            #expect(calls() == "send 16384 text/plain; charset=utf-8 [] - -")
            let piped = try await kairan.json("send", "notes", "--expires", "1h", input: text + "é")
            #expect(piped["size"] == 16_386 && piped["payload"]?["payload"] == .string(id) && piped["text"] == nil)
            #expect(handedIn() == Array((text + "é").utf8))
            #expect(calls() == "handIn, send \(id) text/plain; charset=utf-8 [] - 3600000")
            #expect(try await kairan("send", "notes", text + "y").status == 0)
            #expect(calls() == "handIn, send \(id) text/plain; charset=utf-8 [] - -")

            // Cut within characters, wherever it is read in pieces.
            let path = kairan.socket + ".large"
            var bytes = Array(("x" + String(repeating: "é", count: 700_000)).utf8)
            try Data(bytes).write(to: URL(filePath: path))
            #expect(try await kairan("send", "notes", "--file", path).error.isEmpty)
            #expect(handedIn() == bytes && calls().hasSuffix("send \(id) text/plain; charset=utf-8 [] - -"))
            bytes.append(0xC3)
            try Data(bytes).write(to: URL(filePath: path))
            #expect(try await kairan("send", "notes", "--file", path).status == 0)
            #expect(handedIn() == bytes && calls().hasSuffix("send \(id) application/octet-stream [] - -"))
            let typed = try await kairan("send", "notes", "--file", path, "--content-type", "video/mp4")
            #expect(typed.output == "Sent \(FakeNode.messageID.prefix(8)) to all readers of the zone.\n")
            #expect(calls().hasSuffix("send \(id) video/mp4 [] - -"))
            let unknown = try await kairan("send", "nowhere", "--file", path)
            #expect(unknown.status == 1 && unknown.error.contains("no zone nowhere"), "\(unknown)")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `the content of a message is written out, to a file only as a whole`()
        async throws
    {
        let node = FakeNode()
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
        node.state.withLock { state in
            state.content = ContentPart(bytes: bytes, byteCount: 300_000, contentType: "image/png")
            state.contentPartByteCount = 65_536
        }
        try await Self.withProgram(node: node) { kairan in
            let id = FakeNode.messageID
            let path = kairan.socket + ".png"
            let file = URL(filePath: path)
            let written = try await kairan("message", "get", id, "-o", path)
            #expect(written.output == "Written to \(path): 300000 bytes.\n" && written.error.isEmpty)
            #expect(try Data(contentsOf: file) == Data(bytes) && access(path + ".part", F_OK) != 0)
            let json = try await kairan.json("message", "get", id, "--output", path)
            #expect(json["file"] == .string(path) && json["size"] == 300_000 && json["content_type"] == "image/png")

            // An existing file stays when another download does not complete.
            node.state.withLock { state in
                state.content.bytes[0] ^= 1
                state.contentFailure = (150_000, NodeError(.messageUnknown, "It is gone.", fix: "Give up."))
            }
            let broken = try await kairan("message", "get", id, "-o", path)
            #expect(broken.status == 1 && broken.error.contains("broke") && broken.output.isEmpty)
            #expect(try Data(contentsOf: file) == Data(bytes) && access(path + ".part", F_OK) != 0)
            let incomplete = NodeError(.messageIncomplete, "It is not all here.", fix: "Wait.")
            node.state.withLock { $0.contentFailure = (0, incomplete) }
            let early = try await kairan("message", "get", id, "-o", path + "2")
            #expect(early.status == 75 && early.error == "kairan: It is not all here. Wait.\n")
            #expect(access(path + "2", F_OK) != 0 && access(path + "2.part", F_OK) != 0)

            node.state.withLock { state in
                state.contentFailure = nil
                state.content = ContentPart(bytes: Array("Milk\n".utf8), byteCount: 5, contentType: "text/plain")
            }
            #expect(try await kairan("message", "get", id).output == "Milk\n")
            #expect(try await kairan("message", "get", String(id.prefix(8))).output == "Milk\n")
            #expect(try await kairan("message", "get", id, "-o", "-").output == "Milk\n")
            let folder = try await kairan("message", "get", id, "-o", "/dev")
            #expect(folder.status == 1 && folder.error.contains("/dev exists"))
            let nowhere = try await kairan("message", "get", id, "-o", "/nowhere/f")
            #expect(nowhere.status == 1 && nowhere.error.contains("/nowhere/f.part"))
            #expect(try await kairan("message", "get", "none").status == 1)
        }
    }
}
