import Configuration
import Foundation
import Testing

@testable import PeerDaemon

@Suite struct `A wrong value` {
    private static func load(
        flags: [String: ConfigValue] = [:],
        environment: [String: String] = [:],
        files: [String] = []
    ) throws -> DaemonConfiguration {
        try DaemonConfiguration(
            flags: flags,
            environment: environment,
            files: files.enumerated().map { try ConfigurationFile(path: "/etc/\($0.offset).yaml", text: $0.element) },
            defaults: (state: "/default/state", socket: "/default/socket")
        )
    }

    private static func refusal(_ body: () throws -> Void) throws -> String {
        try #require(#expect(throws: DaemonConfiguration.Refusal.self) { try body() }).description
    }

    /// Runs a body in a directory that is removed afterwards.
    private static func withDirectory(_ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }  // A leftover in /tmp does no harm.
        try body(path)
    }

    @Test(arguments: [
        "localhost:7070", ":7070", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "300.0.0.1:1", "[127.0.0.1]:1",
        "::1:7",
        "[::1:7",
    ])
    func `is an address to listen on that is not numeric or has no port`(text: String) throws {
        for key in ["listen", "relay-listen"] {
            let message = try Self.refusal { _ = try Self.load(files: ["mdns: true\n\(key): [\"\(text)\"]"]) }
            #expect(
                message.hasPrefix("/etc/0.yaml:2: \(key): \"\(text)\" is not valid; allowed: a list of ADDRESS:PORT")
            )
        }
    }

    @Test func `is not an address in brackets, with a scope, or of all interfaces`() throws {
        let good = ["[::1]:0", "[::]:7070", "0.0.0.0:65535", "192.0.2.1:1"]
        let text = good.map { "\"\($0)\"" }.joined(separator: ", ")
        #expect(try Self.load(files: ["listen: [\(text)]"]).listen.map(\.port) == [0, 7070, 65_535, 1])
    }

    @Test(arguments: ["photos", "", "/", "/srv/../etc", "/srv/./photos"])
    func `is a folder of linked files that is no absolute path, or has names that lead elsewhere`(text: String) throws {
        let message = try Self.refusal { _ = try Self.load(files: ["linked-roots: [\"\(text)\"]"]) }
        let words = "/etc/0.yaml:1: linked-roots: \"\(text)\" is not valid; allowed: a list of directories"
        #expect(message.hasPrefix(words))
    }

    @Test func `is a folder of linked files that overlaps another one, or the state, or that a link leads to`() throws {
        try Self.withDirectory { path in
            let real = realpath(path, nil).map { found in
                defer { free(found) }
                return String(cString: found)
            }
            let base = try #require(real)
            try FileManager.default.createDirectory(atPath: base + "/a/b", withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: base + "/link", withDestinationPath: base + "/a")
            func check(_ roots: String, state: String = "/default/state") throws {
                try Self.load(files: ["state: \(state)\nsocket: \(base)/s\nlinked-roots: [\(roots)]"])
                    .check(inheritsSocket: true)
            }
            try check("\(base)/a, \(base)/away")
            let wrong = ["/a, \(base)/a/b", "/a/b, \(base)/a/", "/a, \(base)/a", "/link"]
            for roots in wrong.map({ base + $0 }) {
                #expect(try Self.refusal { try check(roots) }.hasPrefix("/etc/0.yaml:3: linked-roots: "), "\(roots)")
            }
            for state in ["\(base)/a/state", base, "\(base)/a"] {
                let message = try Self.refusal { try check("\(base)/a", state: state) }
                #expect(message.contains("state directory"), "\(message)")
            }
        }
    }

    @Test(arguments: [
        ("peers", "http://a:1"), ("peers", "a b:1"), ("peers", "1.2.3:1"), ("peers", "a:0"), ("relay-address", "a/b:1"),
        ("interfaces", ""), ("interfaces", "sixteen-bytes-ab"), ("interfaces", "a/b"), ("interfaces", "a b"),
        ("relay-storage", "nats://"), ("relay-storage", "nats://u:p@a:b"), ("relay-storage", "http://a:1"),
        ("relay-storage-observers", "tls://a:0"),
    ])
    func `in a list names file, line and what is allowed`(key: String, text: String) throws {
        let message = try Self.refusal { _ = try Self.load(files: ["\n\n\(key): [\"\(text)\"]"]) }
        #expect(message.hasPrefix("/etc/0.yaml:3: \(key): "))
        #expect(message.contains("; allowed: a list of "))
    }

    @Test(arguments: [
        ("peers", "box.example:1"), ("peers", "bücher.example:1"), ("peers", "[fe80::1%2]:1"), ("interfaces", "br-lan"),
        ("relay-storage", "nats://u:p@s@10.0.0.1:4222"), ("relay-storage", "tls://[::1]:4222"),
    ])
    func `is not a value that is valid elsewhere`(key: String, text: String) throws {
        #expect(throws: Never.self) { try Self.load(files: ["\(key): [\"\(text)\"]"]) }
    }

    @Test(arguments: [
        "state", "socket", "enrolment-token", "passphrase-file", "applications", "relay-key-file",
        "relay-storage-authority",
    ])
    func `is a path that is relative or has a zero byte`(key: String) throws {
        for path in ["relative", "", "/a\\0b"] {
            let message = try Self.refusal { _ = try Self.load(files: ["\(key): \"\(path)\""]) }
            #expect(message.hasPrefix("/etc/0.yaml:1: \(key) must be an absolute path"))
        }
    }

    @Test func `names the variable, or the later file, that it comes from`() throws {
        let fromVariable = try Self.refusal {
            _ = try Self.load(environment: ["KAIRAN_RELAY_GRACE": "soon"], files: ["relay-grace: 3"])
        }
        #expect(fromVariable.hasPrefix("KAIRAN_RELAY_GRACE: relay-grace: \"soon\" is not valid"))
        let fromFile = try Self.refusal { _ = try Self.load(files: ["log-level: info", "\nlog-level: loud"]) }
        #expect(fromFile.hasPrefix("/etc/1.yaml:2: log-level: \"loud\" is not valid; allowed: trace, "))
        let fromFlag = try Self.refusal {
            _ = try Self.load(
                flags: ["log-level": ConfigValue(.string("loud"), isSecret: false)],
                files: ["log-level: info"]
            )
        }
        #expect(fromFlag.hasPrefix("log-level: \"loud\""))
    }

    @Test func `is a socket path of more bytes than a socket has, unless a service manager hands it over`() throws {
        for (count, isFit) in [(107, true), (108, false)] {
            let path = "/tmp/" + String(repeating: "s", count: count - 5)
            let configuration = try Self.load(files: ["socket: \(path)"])
            guard !isFit else {
                #expect(throws: Never.self) { try configuration.check(inheritsSocket: false) }
                continue
            }
            let message = try Self.refusal { try configuration.check(inheritsSocket: false) }
            #expect(message.hasPrefix("/etc/0.yaml:1: socket: \(path) has 108 bytes, which is too long; allowed: "))
            #expect(message.contains("1 to 107 bytes"))
            #expect(throws: Never.self) { try configuration.check(inheritsSocket: true) }
        }
    }

    @Test func `is a socket path at which there is something else, or two levels that are not there`() throws {
        try Self.withDirectory { directory in
            try Data().write(to: URL(filePath: directory + "/file"))
            for path in ["/file", "", "/file/socket", "/none/none/socket"] {
                let configuration = try Self.load(files: ["socket: \(directory)\(path)"])
                let message = try Self.refusal { try configuration.check(inheritsSocket: false) }
                #expect(message.hasPrefix("/etc/0.yaml:1: socket: \(directory)"))
            }
            for path in ["/socket", "/none/socket"] {
                let configuration = try Self.load(files: ["socket: \(directory)\(path)"])
                #expect(throws: Never.self) { try configuration.check(inheritsSocket: false) }
            }
        }
    }

    @Test func `is a group, a directory of applications or an authority that is not there`() throws {
        let authority = "relay: true\nrelay-storage: [\"tls://a:1\"]\nrelay-storage-authority: /nowhere/a"
        let wrong = [
            ("group: no-such-group", "group"), ("applications: /nowhere/a", "applications"),
            ("applications: /dev/null", "applications"), (authority, "relay-storage-authority"),
        ]
        for (text, key) in wrong {
            let configuration = try Self.load(files: [text])
            let line = text.split(separator: "\n").count
            let message = try Self.refusal { try configuration.check(inheritsSocket: true) }
            #expect(message.hasPrefix("/etc/0.yaml:\(line): \(key): "))
        }
        // Of no use to a machine that keeps no parcels.
        let unused = try Self.load(files: ["relay-storage-authority: /nowhere/a"])
        #expect(throws: Never.self) { try unused.check(inheritsSocket: true) }
    }

    @Test func `is a cluster for a program without a client, which names the package to install`() throws {
        let configuration = try Self.load(files: ["relay: true\nrelay-storage: [\"tls://relay:canary@a:1\"]"])
        let message = try Self.refusal { try configuration.check(opensClusters: false) }
        #expect(message.hasPrefix("/etc/0.yaml:2: relay-storage names a NATS cluster"))
        #expect(message.contains("install the package kairan-relay-cluster"))
        #expect(!message.contains("canary"))
        #expect(throws: Never.self) { try configuration.check(opensClusters: true) }
        #expect(throws: Never.self) { try Self.load(files: ["relay: true"]).check(opensClusters: false) }
    }

    @Test func `is not a line that stands elsewhere than before`() throws {
        #expect(try Self.load(files: ["group: a"]) == Self.load(files: ["\n\ngroup: a"]))
    }
}

@Suite struct `The places by default` {
    @Test func `follow the variables of the XDG specification, and not those that are empty or relative`() {
        let all = ["HOME": "/h", "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/r"]
        #expect(PeerDaemon.defaults(all) == (state: "/s/kairan", socket: "/r/kairan/kairand.sock"))
        let wrong = ["HOME": "/h", "XDG_STATE_HOME": "s", "XDG_RUNTIME_DIR": ""]
        let state = "/h/.local/state/kairan"
        #expect(PeerDaemon.defaults(wrong) == (state: state, socket: state + "/kairan/kairand.sock"))
    }

    @Test func `are distinguished from equal ones that are configured`() throws {
        let defaults = (state: "/a", socket: "/b")
        func load(_ environment: [String: String]) throws -> DaemonConfiguration {
            try DaemonConfiguration(flags: [:], environment: environment, files: [], defaults: defaults)
        }
        #expect(try load([:]).hasDefaultState && load([:]).hasDefaultSocket)
        #expect(try !load(["KAIRAN_STATE": "/a"]).hasDefaultState)
        #expect(try !load(["KAIRAN_SOCKET": "/b"]).hasDefaultSocket)
    }

    @Test func `get the directories that a new home has not, for their owner alone`() throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: home) }  // A leftover in /tmp does no harm.
        let configuration = try DaemonConfiguration(
            flags: [:],
            environment: [:],
            files: [],
            defaults: (state: home + "/state", socket: home + "/run/kairan/socket")
        )
        try SocketDirectory(configuration).make()
        for path in ["", "/run", "/run/kairan"] {
            let facts = try FileManager.default.attributesOfItem(atPath: home + path)
            #expect(facts[.posixPermissions] as? Int == 0o700)
        }
        let named = try DaemonConfiguration(
            flags: [:],
            environment: ["KAIRAN_SOCKET": home + "/other/kairan/socket"],
            files: [],
            defaults: (state: home + "/state", socket: home + "/socket")
        )
        #expect(throws: DaemonConfiguration.Refusal.self) { try SocketDirectory(named).make() }
        #expect(!FileManager.default.fileExists(atPath: home + "/other"))
    }
}
