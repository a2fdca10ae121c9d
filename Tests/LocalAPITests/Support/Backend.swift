import KairanClient
import KairanTesting
import Testing

/// The daemon that answers an application: tests that run with both keep the double true.
enum Backend: String, CaseIterable, CustomTestStringConvertible {
    /// A real node on a real store behind a real socket.
    case daemon
    /// The double.
    case memory

    var testDescription: String { rawValue }

    /// Runs an application.
    func run<Value: Sendable>(_ body: @escaping @Sendable (Kairan) async throws -> Value) async throws -> Value {
        switch self {
        case .memory: try await body(MemoryDaemon().kairan)
        case .daemon:
            try await LiveServer.withDirectory { directory in
                try await LiveNode.run(in: directory) { node in
                    try await LiveServer.run(node: node, in: directory) { path, _ in
                        try await Kairan.connect(socketPath: path) { kairan in try await body(kairan) }
                    }
                }
            }
        }
    }
}
