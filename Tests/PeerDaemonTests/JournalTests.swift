import KairanInterface
import Foundation
import Glibc
import Logging
import Node
import Testing
import Wire

@testable import PeerDaemon

@Suite struct `The journal` {
    private func entry(
        _ message: String,
        _ metadata: Logger.Metadata = [:],
        _ level: Logger.Level = .info
    ) -> JournalEntry {
        JournalEntry(level: level, message: message, metadata: metadata, source: "Node")
    }

    @Test func `gets one line in plain words, its priority, and each fact as a field of its own`() {
        let fields = entry("session closed", ["reason": "the program ends", "peer.id": "5cmookim"]).fields
        #expect(
            fields.map { "\($0.name)=\($0.value)" } == [
                "MESSAGE=session closed: peer 5cmookim, reason the program ends", "PRIORITY=6",
                "SYSLOG_IDENTIFIER=kairand", "KAIRAN_PART=Node", "KAIRAN_PEER_ID=5cmookim",
                "KAIRAN_REASON=the program ends",
            ]
        )
        #expect(entry("stopped").fields.first?.value == "stopped")
    }

    @Test(arguments: zip(Logger.Level.allCases, ["7", "7", "6", "5", "4", "3", "2"]))
    func `has the priorities of syslog`(level: Logger.Level, priority: String) {
        #expect(entry("x", [:], level).fields[1].value == priority)
    }

    @Test func `accepts values with line ends by their length, and long ones truncated`() {
        let bytes = entry("two\nlines").encoded
        let length: [UInt8] = [9, 0, 0, 0, 0, 0, 0, 0]
        #expect(bytes.starts(with: Array("MESSAGE\n".utf8) + length + Array("two\nlines\nPRIORITY=6\n".utf8)))
        let many = (0..<100).reduce(into: Logger.Metadata()) {
            $0["k\($1)"] = "\(String(repeating: "x", count: 100_000))"
        }
        #expect(
            entry(String(repeating: "ü\n", count: 100_000), many).encoded.count < 180_000,
            "it fits into one datagram"
        )
    }

    @Test func `has no other names of fields than it may`() {
        let names = entry("x", ["a-b=c\n": "1", "ünder": "2", "": "3"]).fields.map(\.name)
        let allowed = names.allSatisfy { name in
            name.utf8.allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || (48...57).contains($0) || $0 == 95
            }
        }
        #expect(allowed, "\(names)")
    }

    @Test func `is written to where standard error leads into it, and nowhere else`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "kairan-journal-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "socket").path
        let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(receiver) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(receiver, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        let stream = ["JOURNAL_STREAM": try #require(FileIdentity("/proc/self/fd/\(receiver)")).numbers]
        #expect(JournalSocket(environment: [:], path: path, stream: receiver) == nil)
        #expect(JournalSocket(environment: ["JOURNAL_STREAM": "1:2"], path: path, stream: receiver) == nil)
        let journal = try #require(JournalSocket(environment: stream, path: path, stream: receiver))
        let sent = entry("stopped").encoded
        #expect(journal.send(sent))
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = recv(receiver, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        #expect(count == sent.count && Array(buffer.prefix(max(count, 0))) == sent)
        close(receiver)
        unlink(path)
        #expect(!journal.send(sent), "nobody takes it, and nobody waits")
    }
}

@Suite struct `The status line` {
    private func status(peers: Int, zones: Int, pending: UInt64, health: [HealthWarning] = []) throws -> NodeStatus {
        NodeStatus(
            version: "1",
            device: DeviceID(.zero),
            account: AccountID(.zero),
            incarnation: try #require(Incarnation(Array(repeating: 5, count: 16))),
            state: .ready,
            peers: peers,
            zones: zones,
            pending: pending,
            listeningPort: 1,
            health: health
        )
    }

    @Test func `shows peers, zones and whether all is in step`() throws {
        #expect(StatusLine.text(try status(peers: 3, zones: 5, pending: 0)) == "3 peers connected, 5 zones, in step")
        #expect(
            StatusLine.text(try status(peers: 1, zones: 1, pending: 1))
                == "1 peer connected, 1 zone, 1 operation pending"
        )
        #expect(StatusLine.text(try status(peers: 0, zones: 0, pending: 2)).hasSuffix("2 operations pending"))
    }

    @Test func `begins with the worst trouble, unless it is known or no more than information`() throws {
        var full = HealthWarning(
            code: "storage.disk_full",
            severity: .critical,
            message: "No space is left.",
            fix: "Make some."
        )
        let line = StatusLine.text(try status(peers: 0, zones: 0, pending: 0, health: [full]))
        #expect(line == "storage.disk_full: No space is left. 0 peers connected, 0 zones, in step")
        full.severity = .info
        #expect(try StatusLine.text(status(peers: 0, zones: 0, pending: 0, health: [full])).hasPrefix("0 peers"))
        (full.severity, full.isAcknowledged) = (.warning, true)
        #expect(try StatusLine.text(status(peers: 0, zones: 0, pending: 0, health: [full])).hasPrefix("0 peers"))
    }
}
