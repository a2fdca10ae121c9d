import Dispatch

/// Work that blocks a thread for as long as a disk or another program takes: none of those that run tasks.
enum Blocking {
    private static let queue = DispatchQueue(label: "kairan.import", attributes: .concurrent)

    /// Does the work on another thread.
    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }
}
