import Foundation
import Glibc
import Synchronization
import TestSupport

/// A nats-server in a process of its own, with a folder of its own.
final class NATSServer: @unchecked Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The settings of a server.
    struct Settings {
        var name = "n1"
        var port: UInt16
        var syncsAlways = true
        var payload = "1MB"
        /// The server's own port for the others, and theirs.
        var cluster: (own: UInt16, others: [UInt16])?
        /// The host that its certificate names; `nil` when it has none.
        var certified: String?
    }

    let settings: Settings
    let folder: URL
    // SAFETY: only ever set by `start`, which the owner does not call while anything else is under way.
    private var process = Process()

    init(_ settings: Settings) throws {
        self.settings = settings
        folder = FileManager.default.temporaryDirectory.appending(path: "nats-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if let host = settings.certified { try Self.certify(host, in: folder) }
        try Data(configuration.utf8).write(to: folder.appending(path: "server.conf"))
    }

    /// The address of the server for a user.
    func url(_ user: String = "relay", password: String = "secret") -> String {
        "nats://\(user):\(password)@127.0.0.1:\(settings.port)"
    }

    /// The address of the server by a name, with TLS.
    var secureURL: String { "tls://relay:secret@localhost:\(settings.port)" }

    /// Its certificate, which it signed itself.
    var certificate: String { folder.appending(path: "server.pem").path() }

    /// Makes a key, and a certificate of it.
    private static func certify(_ host: String, in folder: URL) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.currentDirectoryURL = folder
        process.arguments =
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout server.key -out server.pem -days 2"
            .split(separator: " ").map(String.init) + ["-subj", "/CN=\(host)", "-addext", "subjectAltName=DNS:\(host)"]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "openssl made no certificate") }
    }

    private var configuration: String {
        var lines = [
            "server_name: \(settings.name)",
            "listen: \"127.0.0.1:\(settings.port)\"",
            "max_payload: \(settings.payload)",
            "jetstream {",
            "  store_dir: \"\(folder.path())/store\"",
            "  max_file_store: 2GB",
            "  max_memory_store: 64MB",
            settings.syncsAlways ? "  sync_interval: always" : "",
            "}",
            "accounts {",
            "  SYS: { users: [{ user: observer, password: secret }, \(confined("observer"))] }",
            "  RELAY: { jetstream: enabled, users: [{ user: relay, password: secret }, \(confined("relay"))] }",
            "}",
            "system_account: SYS",
        ]
        if settings.certified != nil {
            lines.append("tls { cert_file: \"\(certificate)\", key_file: \"\(folder.path())/server.key\" }")
        }
        if let (own, others) = settings.cluster {
            let routes = others.map { "\"nats://127.0.0.1:\($0)\"" }.joined(separator: ", ")
            lines.append("cluster { name: kairan, listen: \"127.0.0.1:\(own)\", routes: [\(routes)] }")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The configuration of a user with the permissions that the example of the handbook gives to one of that name.
    private func confined(_ user: String) -> String {
        let example = Self.root.appending(path: "systemd/relay-cluster/nats-server.conf")
        let text = (try? String(contentsOf: example, encoding: .utf8)) ?? ""
        let rest = text.components(separatedBy: "user: \(user)\n").last ?? ""
        let list = rest.components(separatedBy: "publish: [").dropFirst().first?.split(separator: "]").first ?? ""
        let permissions = "{ publish: [\(list)], subscribe: [\"_INBOX.>\"] }"
        return "{ user: confined-\(user), password: secret, permissions: \(permissions) }"
    }

    /// Starts it, and waits until it takes connections.
    func start() async throws {
        let log = folder.appending(path: "log-\(UUID().uuidString)")
        process = Process()
        process.executableURL = try Self.program()
        process.arguments = ["-c", folder.appending(path: "server.conf").path(), "-l", log.path()]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try await until("nats-server \(settings.name) is ready") {
            // In this order: the text that it wrote before it ended is the reason.
            let isRunning = self.process.isRunning
            let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            guard isRunning else { throw Failure(description: "nats-server ended: \(text)") }
            return text.contains("Server is ready")
        }
    }

    /// Kills it, as the power would.
    func kill() {
        guard process.isRunning else { return }
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Deletes the files of a stream.
    func dropStream(_ stream: String) throws {
        let path = folder.appending(path: "store/jetstream/RELAY/streams/\(stream)")
        guard FileManager.default.fileExists(atPath: path.path()) else {
            throw Failure(description: "there is no \(path.path())")
        }
        try FileManager.default.removeItem(at: path)
    }

    /// Kills it and removes its folder.
    func end() {
        kill()
        // The system cleans up if this fails.
        try? FileManager.default.removeItem(at: folder)
    }

    /// The project's folder.
    private static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The path of nats-server: from the environment, or where the script puts it.
    private static func program() throws -> URL {
        let said = ProcessInfo.processInfo.environment["KAIRAN_NATS_SERVER"].map { URL(filePath: $0) }
        let program = said ?? root.appending(path: ".build-nats/bin/nats-server")
        guard FileManager.default.isExecutableFile(atPath: program.path()) else {
            throw Failure(description: "nats-server is not at \(program.path()): scripts/setup puts it there")
        }
        return program
    }

    /// Ports of this machine on which no program listens, and which the system gives to no outgoing connection.
    ///
    /// A server that is started again wants the port that it had, and the tests that run at the same time make
    /// connections all along: out of the system's own range, one of them may have it by then.
    static func freePorts(_ count: Int) throws -> [UInt16] {
        let range = try String(contentsOfFile: "/proc/sys/net/ipv4/ip_local_port_range", encoding: .utf8)
        let bounds = range.split(whereSeparator: \.isWhitespace).compactMap { UInt16($0) }
        guard bounds.count == 2, bounds[0] <= bounds[1] else {
            throw Failure(description: "a range of ports: \(range)")
        }
        let candidates = (10_000...60_000).filter { !(bounds[0]...bounds[1]).contains($0) }.shuffled()
        return try given.withLock { given in
            var ports: [UInt16] = []
            for port in candidates where ports.count < count && !given.contains(port) && isFree(port) {
                ports.append(port)
            }
            guard ports.count == count else { throw Failure(description: "no free port") }
            given.formUnion(ports)
            return ports
        }
    }

    /// The ports that a test of this run has had.
    private static let given = Mutex<Set<UInt16>>([])

    private static func isFree(_ port: UInt16) -> Bool { ReservedPort(port) != nil }
}

/// Waits for a fact: checks it again and again, with a little time in between, until a deadline.
func until(_ what: String, within limit: Duration = .seconds(60), _ isTrue: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + limit
    while try await !isTrue() {
        guard ContinuousClock.now < end else { throw NATSServer.Failure(description: "never: \(what)") }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { continuation.resume() }
        }
    }
}
