import Configuration
import Foundation
import Invocation
import Logging
import Node
import Testing

@testable import PeerDaemon

@Suite struct `The configuration` {
    private static let defaults = (state: "/default/state", socket: "/default/socket")

    private static func load(
        flags: [String: ConfigValue] = [:],
        environment: [String: String] = [:],
        files: [(path: String, text: String)] = []
    ) throws -> DaemonConfiguration {
        try DaemonConfiguration(
            flags: flags,
            environment: environment,
            files: files.map { try ConfigurationFile(path: $0.path, text: $0.text) },
            defaults: defaults
        )
    }

    private static func refusal(_ text: String) throws -> String {
        let error = #expect(throws: DaemonConfiguration.Refusal.self) { try load(files: [("/etc/k.yaml", text)]) }
        return try #require(error).description
    }

    @Test func `works without options`() throws {
        let configuration = try Self.load()
        #expect(configuration.state == "/default/state")
        #expect(configuration.listen == [DaemonConfiguration.ListenAddress(host: "::", port: 7_621)])
        #expect(configuration.usesMulticastDNS)
        #expect(configuration.logLevel == .info)
        #expect(configuration.enrolmentTokenFile == "/default/state/enrolment-token")
    }

    @Test(
        arguments: [
            ("state: /a", [0xFF], 9), ("# M", [0xFC, 0x6E], 3), ("# \u{FC}", [0xC3, 0x28], 4), ("", [0xE2, 0x82], 0),
        ] as [(String, [UInt8], Int)]
    )
    func `names the byte at which a file is not UTF-8`(text: String, more: [UInt8], offset: Int) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).yaml").path
        try Data(Array(text.utf8) + more).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }  // A leftover in /tmp does no harm.
        let error = #expect(throws: DaemonConfiguration.Refusal.self) {
            try ConfigurationFile.load(path: path, dropIns: nil, isRequired: true)
        }
        #expect(error?.description == "\(path): the file is not UTF-8 at byte \(offset); save it as UTF-8")
    }

    @Test func `accepts the file with an enrolment token at any absolute path`() throws {
        let moved = try Self.load(environment: ["KAIRAN_STATE": "/s"])
        #expect(moved.enrolmentTokenFile == "/s/enrolment-token")
        let named = try Self.load(files: [("/etc/k.yaml", "enrolment-token: /etc/kairan/enrolment-token")])
        #expect(named.enrolmentTokenFile == "/etc/kairan/enrolment-token")
        #expect(try Self.refusal("enrolment-token: token").contains("enrolment-token must be an absolute path"))
    }

    @Test func `prefers flags to the environment to later files to earlier ones`() throws {
        let files = [
            (path: "/etc/a.yaml", text: "state: /a\nsocket: /a\ngroup: a\nlog-level: debug"),
            (path: "/etc/b.yaml", text: "state: /b\nsocket: /b\ngroup: b"),
        ]
        let configuration = try Self.load(
            flags: ["state": ConfigValue(.string("/flag"), isSecret: false)],
            environment: ["KAIRAN_STATE": "/environment", "KAIRAN_SOCKET": "/environment"],
            files: files
        )
        #expect(configuration.state == "/flag")
        #expect(configuration.socket == "/environment")
        #expect(configuration.group == "b")
        #expect(configuration.logLevel == .debug)
    }

    @Test func `reads lists and addresses`() throws {
        let text =
            "listen: [\"127.0.0.1:7000\", \"[::1]:7001\"]\npeers: [\"192.0.2.1:7000\"]\nmdns: false\ninterfaces: [eth0]"
        let configuration = try Self.load(files: [("/etc/k.yaml", text)])
        #expect(configuration.listen.map(\.port) == [7000, 7001])
        #expect(configuration.listen.map(\.host) == ["127.0.0.1", "::1"])
        #expect(configuration.peers == [PeerAddress(host: "192.0.2.1", port: 7000)])
        #expect(!configuration.usesMulticastDNS)
        #expect(configuration.interfaces == ["eth0"])
    }

    @Test func `names file, line and known keys for a mistyped key`() throws {
        let message = try Self.refusal("state: /x\nsokcet: /y\n")
        #expect(message.contains("/etc/k.yaml:2"))
        #expect(message.contains("sokcet"))
        #expect(message.contains("socket"))
    }

    @Test(arguments: [
        ("peers: [\"nonsense\"]", "HOST:PORT"), ("log-level: loud", "warning"), ("mdns: perhaps", "true or false"),
        ("status-for-others: 7", "true or false"), ("applications: [a]", "directory"),
        ("relay-storage-limit: much", "a number of bytes"), ("relay-storage-limit: -1", "a number of bytes"),
        ("listen: \"[::]:0\"", "list"), ("state: relative", "absolute"), ("- a list", "mapping"),
        ("a: [", "/etc/k.yaml"),
    ])
    func `names the allowed values for an invalid one`(text: String, hint: String) throws {
        #expect(try Self.refusal(text).contains(hint))
    }

    @Test func `shows others the status only when configured, and accepts no word for yes`() throws {
        #expect(try !Self.load().showsStatusToOthers && Self.load().applications.isEmpty)
        #expect(try Self.load(files: [("/etc/k.yaml", "status-for-others: true")]).showsStatusToOthers)
        #expect(try Self.load(environment: ["KAIRAN_STATUS_FOR_OTHERS": "true"]).showsStatusToOthers)
        #expect(throws: DaemonConfiguration.Refusal.self) {
            try Self.load(environment: ["KAIRAN_STATUS_FOR_OTHERS": "perhaps"])
        }
        #expect(try Self.load(files: [("/etc/k.yaml", "applications: /a")]).applicationDirectory == "/a")
    }

    @Test func `waits for a device before a relay as long as configured, and at most a day`() throws {
        #expect(try Self.load().relayGraceSeconds == nil)
        #expect(try Self.load(files: [("/etc/k.yaml", "relay-grace: 0")]).relayGraceSeconds == 0)
        #expect(try Self.load(environment: ["KAIRAN_RELAY_GRACE": "86400"]).relayGraceSeconds == 86_400)
        for wrong in ["86401", "-1", "soon"] {
            #expect(throws: DaemonConfiguration.Refusal.self) {
                try Self.load(environment: ["KAIRAN_RELAY_GRACE": wrong])
            }
        }
    }

    @Test func `lets a relay keep as much as configured`() throws {
        #expect(try Self.load().relayByteCountMax == nil)
        #expect(try Self.load(files: [("/etc/k.yaml", "relay-storage-limit: 5000")]).relayByteCountMax == 5_000)
        #expect(try Self.load(environment: ["KAIRAN_RELAY_STORAGE_LIMIT": "0"]).relayByteCountMax == 0)
        #expect(throws: DaemonConfiguration.Refusal.self) {
            try Self.load(environment: ["KAIRAN_RELAY_STORAGE_LIMIT": "1 GB"])
        }
    }

    @Test func `accepts an empty file`() throws {
        #expect(try Self.load(files: [("/etc/k.yaml", "")]).state == "/default/state")
    }
}

@Suite struct `The service manager's protocol` {
    @Test func `gives a watchdog beat at half the time, only to the process it names`() {
        let environment = ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"]
        #expect(ServiceNotifier(environment: environment, process: 42).watchdogMicroseconds == 15_000_000)
        #expect(ServiceNotifier(environment: environment, process: 43).watchdogMicroseconds == nil)
        #expect(ServiceNotifier(environment: [:], process: 42).watchdogMicroseconds == nil)
    }

    @Test func `passes a socket only to the process it names`() {
        #expect(InheritedSocket.descriptor(environment: ["LISTEN_PID": "1", "LISTEN_FDS": "1"], process: 2) == nil)
        #expect(InheritedSocket.descriptor(environment: ["LISTEN_PID": "2", "LISTEN_FDS": "0"], process: 2) == nil)
        #expect(InheritedSocket.descriptor(environment: [:], process: 2) == nil)
    }
}
