import Foundation
import Testing

/// The table of the imports that each target may have; `ARCHITECTURE.md` draws it, and a test compares the two.
@Suite struct `The targets` {
    static let system: Set<String> = ["Glibc", "Synchronization", "FoundationEssentials", "Foundation", "Dispatch"]

    static let allowed: [String: Set<String>] = [
        "Wire": [],
        "Sodium": ["CSodium", "Glibc"],
        "Queries": ["Wire", "Glibc"],
        "Records": ["Wire", "Sodium"],
        "Identity": ["Wire", "Sodium"],
        "Capabilities": ["Identity", "Wire", "Sodium"],
        "Session": ["Wire", "Sodium"],
        "Mailbox": ["Records", "Wire", "Sodium"],
        "JetStream": system.union(["Mailbox", "Wire", "CNATS", "Logging"]),
        // Synchronization for the memory between transactions, which readers and the writer use at once.
        "Sync": ["Mailbox", "Queries", "Records", "Capabilities", "Identity", "Wire", "Sodium", "Synchronization"],
        "Peering": ["Sync", "Identity", "Session", "Wire", "Sodium"],
        "Simulator": [
            "Peering", "Mailbox", "Sync", "Queries", "Records", "Capabilities", "Identity", "Session", "Wire", "Sodium",
        ],
        "PeerSimulator": system.union(["Invocation", "Simulator", "ArgumentParser"]),
        "Node": system.union([
            "KairanInterface", "Peering", "Mailbox", "Sync", "Queries", "Records", "Capabilities", "Identity",
            "Session", "Wire", "Sodium", "Logging",
            "CoreMetrics", "ServiceLifecycle",
        ]),
        "Exposition": system.union(["Node", "CoreMetrics"]),
        "Store": system.union([
            "Mailbox", "Node", "Sync", "Queries", "Records", "Identity", "Wire", "Sodium", "Logging", "GRDB",
            "GRDBSQLite",
        ]),
        "Linking": system.union(["CFiles", "Node", "Sync"]),
        "Listening": system.union(["Logging", "NIOCore"]),
        "Transport": system.union([
            "Listening", "Node", "Identity", "Session", "Wire", "Sodium", "Logging", "ServiceLifecycle", "NIOCore",
            "NIOPosix",
        ]),
        "Sealing": system.union(["Session", "Sync", "Records", "Sodium", "Crypto"]),
        "Discovery": system.union(["Node", "CAvahi", "Logging", "ServiceLifecycle"]),
        "KairanInterface": ["FoundationEssentials"],
        "FileRecords": ["KairanInterface", "Wire", "Crypto"],
        "KairanClient": system.union(["KairanInterface", "Observation", "NIOCore", "NIOHTTP1", "NIOPosix"]),
        "KairanTesting": system.union(["KairanClient", "KairanInterface", "Queries", "Wire", "NIOCore", "NIOHTTP1"]),
        "LocalAPI": system.union([
            "Listening", "Node", "KairanInterface", "Queries", "Records", "Identity", "Wire", "Sodium", "Logging",
            "ServiceLifecycle",
            "Hummingbird",
            "HummingbirdCore", "HTTPTypes", "NIOCore", "NIOPosix",
        ]),
        "PeerDaemon": system.union([
            "Mailbox", "Node", "Store", "Listening", "Linking", "Transport", "Sealing", "Discovery", "Exposition",
            "LocalAPI", "Invocation",
            "Records",
            "Identity", "Session", "Sync", "Wire",
            "Sodium", "Logging", "ServiceLifecycle", "UnixSignals", "ArgumentParser", "Configuration", "Yams",
            "NIOCore",
            "NIOPosix",
        ]),
        "Importing": system.union(["CFiles", "FileRecords", "KairanClient", "KairanInterface", "Crypto"]),
        "PeerControl": system.union([
            "Invocation", "KairanClient", "KairanInterface", "FileRecords", "Folders", "Importing", "ArgumentParser",
            "_FoundationICU",
        ]),
        "Folders": system.union(["CFiles", "FileRecords", "KairanClient", "KairanInterface", "Crypto"]),
        "Invocation": system,
        "Mounting": system.union([
            "CFUSE", "FileRecords", "KairanClient", "KairanInterface", "Invocation", "ArgumentParser", "Crypto",
            "UnixSignals",
        ]),
        "DaemonProgram": ["PeerDaemon", "PeerControl"],
        "ControlProgram": ["PeerControl"],
        // The one program with a client for NATS.
        "RelayClusterProgram": ["PeerDaemon", "JetStream"],
        // The one program with libfuse.
        "MountProgram": ["Mounting"],
    ]

    @Test func `import only what the architecture allows`() throws {
        let expression = try Regex(
            #"^\s*(?:(?:package|public|internal|@testable|@_exported) )*import (?:struct |enum |class |func )?(\w+)"#
        )
        var violations: [String] = []
        for file in try SourceTree("Sources").files {
            let table = Self.allowed[file.target] ?? []
            for line in file.lines {
                guard let match = try expression.firstMatch(in: line), let name = match.output[1].substring,
                    !table.contains(String(name))
                else { continue }
                violations.append("\(file.path): \(line)")
            }
        }
        #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))")
    }

    @Test func `of the core use no clock, no randomness of their own, no task and no output`() throws {
        let pure: Set<String> = [
            "Wire", "Queries", "Records", "Identity", "Capabilities", "Session", "Sync", "Mailbox", "Peering",
        ]
        let banned =
            #"ContinuousClock|SuspendingClock|Date\(|\bTask\b|SystemRandomNumberGenerator|\bprint\(|\.random\(in: (?!.*using: &)"#
        let places = try SourceTree("Sources").places(of: banned, in: pure)
        #expect(places.isEmpty, "\(places.joined(separator: "\n"))")
    }

    /// The C library and SwiftNIO both bring that header along, and the compiler takes the types for those of whichever module it read
    /// first: the order of files decides whether a file that imports the other one compiles.
    @Test func `beside SwiftNIO name no type of netinet/in.h`() throws {
        let allowed: Set<String> = ["Discovery", "Support", "TidyTests"]
        let files = try SourceTree("Sources").files + SourceTree("Tests").files
        let targets = Set(files.map(\.target)).subtracting(allowed)
        let header = #"\bsockaddr_in6?\b|\bin6?_addr\b|\bsin6?_(port|addr|family)\b"#
        let places = try ["Sources", "Tests"].flatMap { try SourceTree($0).places(of: header, in: targets) }
        #expect(places.isEmpty, "\(places.joined(separator: "\n"))")
    }
}
