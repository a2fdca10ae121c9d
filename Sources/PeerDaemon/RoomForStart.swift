import Invocation
import Logging
import Sync

/// Delays a start while the disk is full.
///
/// A full disk passes once a person makes room, so the daemon does not end because of it: it tries again by itself,
/// and notifies the service manager, which would otherwise assume that the start hangs.
struct RoomForStart {
    let notifier: ServiceNotifier
    let logger: Logger
    /// Waits for some seconds.
    var pause: @Sendable (_ seconds: Int) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }

    /// The time to the second attempt; each further one takes twice as long, up to ``intervalMax``.
    private static let intervalMin = 2
    private static let intervalMax = 30

    /// Starts, and tries again for as long as the disk is full.
    /// - Parameter start: One attempt; it closes everything that it has opened when it throws.
    /// - Returns: The result of the successful attempt.
    /// - Throws: Any error of an attempt other than a full disk.
    func wait<Value>(for start: () async throws -> Value) async throws -> Value {
        var interval = Self.intervalMin
        var isTold = false
        while true {
            do {
                let value = try await start()
                if isTold { logger.notice("there is space again: the daemon starts") }
                return value
            } catch let error as UnusableState where error.outlook == .waits {
                if !isTold {
                    logger.error(
                        "the disk is full: the daemon starts when there is space",
                        metadata: ["error": "\(error)", "fix": "make space on the state directory's file system"]
                    )
                    isTold = true
                }
                let time = 1_000_000 * (interval + 60)
                notifier.notify("EXTEND_TIMEOUT_USEC=\(time)\nSTATUS=The disk is full: waiting for space")
                try await pause(interval)
                interval = min(2 * interval, Self.intervalMax)
            }
        }
    }
}
