import Foundation
import KairanInterface
import Sync
import Testing
import Wire

@testable import Node

/// Messages whose payloads travel apart, between nodes with stores on a disk.
@Suite(.timeLimit(.minutes(5))) struct `A large message between nodes` {
    private static let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    /// Some bytes, in pieces.
    private func pieces(of bytes: [UInt8], _ count: Int = 50_000) -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            for begin in stride(from: 0, to: bytes.count, by: count) {
                continuation.yield(Array(bytes[begin..<min(begin + count, bytes.count)]))
            }
            continuation.finish()
        }
    }

    private func send(_ bytes: [UInt8], on node: RunningNode, zone: String) async throws -> MessageView {
        let announced = UInt64(bytes.count)
        let payload = try await node.node.payloads.handIn(pieces(of: bytes), zone: zone, announced: announced)
        #expect(payload.byteCount == UInt64(bytes.count))
        return try await node.node.messages.send(
            MessageDraft(content: [], payload: payload.id.text, contentType: "image/png"),
            zone: zone
        )
    }

    private func read(_ id: String, on node: RunningNode) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let part = try await node.node.payloads.content(ofMessage: id, from: UInt64(bytes.count))
            guard !part.bytes.isEmpty else { return bytes }
            bytes += part.bytes
        }
    }

    @Test func `waits at the other node when all of it has arrived, and reads as it was uploaded`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await pair(desk, lap)
            _ = try await desk.makeZone("chat")
            let sent = try await send(Self.bytes, on: desk, zone: "chat")
            #expect(sent.content == nil && sent.byteCount == 3_000_000 && sent.payload?.state == .present)
            let waiting = try await lap.node.messages.inbox(limit: 10, waitMilliseconds: 60_000)
            #expect(waiting.map(\.id) == [sent.id] && waiting.first?.payload?.percent == 100)
            #expect(try await read(sent.id, on: lap) == Self.bytes)
            #expect(try await read(sent.id, on: desk) == Self.bytes)
            try await desk.until("delivered") {
                try await $0.messages.message(sent.id).deliveries?.map(\.state) == [.delivered]
            }
            try await lap.node.messages.finishMessage(sent.id)
            try await desk.until("read") { try await $0.messages.message(sent.id).deliveries?.map(\.state) == [.read] }
        }
    }

    @Test func `resumes after a kill of its recipient, and comes from any peer that has it`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await pair(desk, lap)
            _ = try await desk.makeZone("chat")
            try await lap.until("the zone is there") { try await $0.zones.zoneIfKnown("chat") != nil }
            let sent = try await send(Self.bytes, on: desk, zone: "chat")
            // At some moment on the way, or just behind it.
            try await lap.until("some of it is there") { node in
                let payload = try? await node.messages.message(sent.id).payload
                return (payload?.percent ?? 0) > 0
            }
            try await nodes.kill(lap)
            let again = try await nodes.start("lap", in: lap.directory, peers: [desk.address])
            let waiting = try await again.node.messages.inbox(limit: 10, waitMilliseconds: 60_000)
            #expect(waiting.map(\.id) == [sent.id])
            #expect(try await read(sent.id, on: again) == Self.bytes)
        }
    }

    @Test func `is fetched again by a device that lost its file, once it is read there`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await pair(desk, lap)
            _ = try await desk.makeZone("chat")
            let sent = try await send(Self.bytes, on: desk, zone: "chat")
            _ = try await lap.node.messages.inbox(limit: 10, waitMilliseconds: 60_000)
            try FileManager.default.removeItem(atPath: lap.directory.path + "/store/payloads/1")
            try await expectRefusal(.messageIncomplete) { try await read(sent.id, on: lap) }
            // No record changes when it is complete, so no event says so.
            while try await lap.node.messages.message(sent.id).payload?.state != .present { await Task.yield() }
            #expect(try await read(sent.id, on: lap) == Self.bytes)
        }
    }

    @Test func `is here again where its lost file is put back, also when no other device has it`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await pair(desk, lap)
            _ = try await desk.makeZone("chat")
            let sent = try await send(Self.bytes, on: desk, zone: "chat")
            _ = try await lap.node.messages.inbox(limit: 10, waitMilliseconds: 60_000)
            try await nodes.stop(desk)
            let file = lap.directory.path + "/store/payloads/1"
            try FileManager.default.moveItem(atPath: file, toPath: file + ".away")
            for _ in 0..<2 { try await expectRefusal(.messageIncomplete) { try await read(sent.id, on: lap) } }
            try FileManager.default.moveItem(atPath: file + ".away", toPath: file)
            #expect(try await read(sent.id, on: lap) == Self.bytes)
            #expect(try await lap.node.messages.message(sent.id).payload?.state == .present)
        }
    }

    @Test func `is refused when its payload was not uploaded, and an incomplete upload is not kept`() async throws {
        struct GaveUp: Error {}
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await pair(desk, lap)
            _ = try await desk.makeZone("chat")
            try await expectRefusal(.payloadUnknown) {
                try await desk.node.messages.send(
                    MessageDraft(content: [], payload: Hash.zero.text, contentType: "image/png"),
                    zone: "chat"
                )
            }
            let broken = AsyncThrowingStream<[UInt8], any Error> { continuation in
                for _ in 0..<30 { continuation.yield([UInt8](repeating: 1, count: 65_536)) }
                continuation.finish(throwing: GaveUp())
            }
            await #expect(throws: NodeError.self) {
                try await desk.node.payloads.handIn(broken, zone: "chat", announced: nil)
            }
            let left = try await desk.storage.read { try $0.payload(number: 1)?.state }
            #expect(left == nil || left == .released)
            // The chunks, then the payload; the inbox may have done some of it.
            for _ in 0..<2 {
                _ = try await desk.node.store.commits.perform { [commitService = desk.node.commitService] in
                    try Payloads(commitService.committer).drop(in: &$0)
                }
            }
            let rest = try await desk.storage.read { (try $0.payload(number: 1), try $0.chunk(of: 1, at: 0)) }
            #expect(rest.0 == nil && rest.1 == nil)
        }
    }
}
