import Foundation
import Glibc
import LocalAPI
import Node
import Testing

@testable import PeerDaemon

@Suite struct `The file of an application` {
    private static func binding(_ text: String) throws -> ApplicationBinding {
        try ApplicationFile.binding(name: "notes", path: "/etc/a/notes.yaml", text: text)
    }

    private static func withDirectory<Value>(_ body: (String) throws -> Value) throws -> Value {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("applications-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: url) }  // A leftover in /tmp does no harm.
        return try body(url.path)
    }

    private static func write(_ text: String, to path: String, mode: mode_t = 0o600) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        #expect(chmod(path, mode) == 0)
    }

    @Test func `binds a user or a group, by number or by name`() throws {
        let short = try Self.binding("uid: 1001\ncontainers: [org.example.notes]\n")
        #expect(
            short
                == ApplicationBinding(name: "notes", subject: .user(1001), containers: ["org.example.notes"])
        )
        #expect(try Self.binding("gid: 77\ncontainers: [a.b]").subject == .group(77))
        let nobody = try #require(getpwnam("nobody")?.pointee)
        #expect(try Self.binding("uid: nobody\ncontainers: [a.b]").subject == .user(nobody.pw_uid))
        let full = try Self.binding(
            "uid: 5\ncontainers: [a.b, c-d.e_f.G1]\nread-only: true\nrequests-per-second: 10\nburst: 3\nstorage-limit: 9\n"
        )
        #expect(full.isReadOnly && full.containers == ["a.b", "c-d.e_f.G1"] && full.storageByteCountMax == 9)
        #expect(full.rate == RequestRate(perSecond: 10, burst: 3))
        let rate = try Self.binding("uid: 5\ncontainers: [a.b]\nrequests-per-second: 10").rate
        #expect(rate == RequestRate(perSecond: 10, burst: 20))
    }

    @Test(arguments: [
        ("uid: 5\ncontainers: [a.b]\nstorage-limt: 1", "notes.yaml:3", "storage-limit"),
        ("uid: 5\ncontainers: a.b", "notes.yaml:2", "list"),
        ("uid: 5\ncontainers: [notes]", "notes.yaml:2", "reverse-DNS"),
        ("uid: 5\ncontainers: [\"org.example.\u{212A}elvin\"]", "notes.yaml:2", "reverse-DNS"),
        ("uid: 5\ncontainers: [a..b]", "notes.yaml:2", "reverse-DNS"),
        ("uid: 5\ncontainers: []", "notes.yaml:2", "reverse-DNS"),
        ("uid: 5", "notes.yaml", "reverse-DNS"),
        ("containers: [a.b]", "notes.yaml", "exactly one"),
        ("uid: 5\ngid: 5\ncontainers: [a.b]", "notes.yaml", "exactly one"),
        ("containers: [a.b]\nuid: 0", "notes.yaml:2", "other than root"),
        ("containers: [a.b]\nuid: root", "notes.yaml:2", "other than root"),
        ("containers: [a.b]\nuid: 4294967295", "notes.yaml:2", "other than root"),
        ("containers: [a.b]\nuid: no-such-user-here", "notes.yaml:2", "number of a user"),
        ("containers: [a.b]\ngid: 0", "notes.yaml:2", "other than root"),
        ("uid: 5\ncontainers: [a.b]\nburst: 0", "notes.yaml:3", "1 to"),
        ("uid: 5\ncontainers: [a.b]\nburst: many", "notes.yaml:3", "1 to"),
        ("uid: 5\ncontainers: [a.b]\nstorage-limit: -1", "notes.yaml:3", "bytes"),
        ("uid: 5\ncontainers: [a.b]\nread-only: perhaps", "notes.yaml:3", "true or false"),
        ("uid: 5\ncontainers: [a.b]\ntoken-file: relative", "notes.yaml:3", "absolute"),
        ("uid: 5\ncontainers: [a.b]\ntoken-file: /nonexistent/token", "notes.yaml:3", "No such file"),
        ("", "notes.yaml", "exactly one"),
    ])
    func `that is wrong is refused with file, line, key and what is allowed`(
        text: String,
        place: String,
        hint: String
    ) throws {
        let error = #expect(throws: DaemonConfiguration.Refusal.self) { try Self.binding(text) }
        let message = try #require(error).description
        #expect(message.contains(place) && message.contains(hint), "\(message)")
    }

    @Test func `names a token file that only some can read`() throws {
        try Self.withDirectory { directory in
            let path = directory + "/token"
            let text = String(repeating: "k", count: 52)
            let file = "uid: 5\ncontainers: [a.b]\ntoken-file: \(path)\n"
            try Self.write("\n \(text)\r\n\n", to: path, mode: 0o640)
            #expect(try Self.binding(file).token == ApplicationToken(text))
            for (content, mode) in [(text, 0o604), (text, 0o602), ("short", 0o600), ("", 0o600)] as [(String, mode_t)] {
                try Self.write(content, to: path, mode: mode)
                let error = #expect(throws: DaemonConfiguration.Refusal.self) { try Self.binding(file) }
                let message = try #require(error).description
                #expect(message.contains("notes.yaml:3") && message.contains(path))
                #expect(content.isEmpty || !message.contains(content))
            }
            #expect(unlink(path) == 0 && symlink("/dev/zero", path) == 0)
            #expect(throws: DaemonConfiguration.Refusal.self) { try Self.binding(file) }
        }
    }

    @Test func `gives an application its name, and the second of two that nothing tells apart is wrong`() throws {
        try Self.withDirectory { directory in
            #expect(try ApplicationFiles(directory: directory + "/none", isRequired: false).isEmpty)
            #expect(throws: DaemonConfiguration.Refusal.self) {
                try ApplicationFiles(directory: directory + "/none", isRequired: true)
            }
            try Self.write("uid: 5\ncontainers: [a.b]", to: directory + "/b.yaml")
            try Self.write("uid: 6\ncontainers: [a.b]", to: directory + "/a.yaml")
            try Self.write("nonsense", to: directory + "/README")
            let names = try ApplicationFiles(directory: directory, isRequired: true).bindings.map(\.name)
            #expect(names == ["a", "b"])
            try Self.write("uid: 5\ncontainers: [c.d]", to: directory + "/c.yaml")
            let files = try ApplicationFiles(directory: directory, isRequired: true)
            #expect(files.bindings.map(\.name) == ["a", "b"])
            let mistake = try #require(files.mistakes.first)
            #expect(mistake.name == "c" && mistake.user == 5)
            #expect(mistake.refusal.description.contains("c.yaml: this application cannot be distinguished from b"))
        }
    }

    @Test func `that is wrong leaves the others as they are, and its user is known as far as it can be read`() throws {
        try Self.withDirectory { directory in
            try Self.write("uid: 5\ncontainers: [a.b]", to: directory + "/a.yaml")
            try Self.write("uid: 6\ncontainers: [a.b]\ncolour: red", to: directory + "/b.yaml")
            try Self.write("uid: [", to: directory + "/c.yaml")
            try Data([0x75, 0xFF]).write(to: URL(fileURLWithPath: directory + "/d.yaml"))
            try FileManager.default.createDirectory(atPath: directory + "/e.yaml", withIntermediateDirectories: false)
            try Self.write("gid: 7\ncontainers: [a.b]", to: directory + "/f.yaml")
            let files = try ApplicationFiles(directory: directory, isRequired: true)
            #expect(files.bindings.map(\.name) == ["a", "f"] && !files.isEmpty)
            #expect(files.disabled.map(\.name) == ["b", "c", "d", "e"])
            #expect(files.disabled.map(\.user) == [6, nil, nil, nil])
            for mistake in files.mistakes {
                #expect(
                    mistake.notice.sentence.hasPrefix(
                        "The application \(mistake.name) is disabled: \(directory)/\(mistake.name).yaml"
                    )
                )
            }
        }
    }
}
