import Invocation
import Logging
import Node
import ServiceLifecycle

/// Reports to the service manager that the daemon lives, as long as its store commits.
///
/// A daemon whose commits hang is worse than one that is restarted, so each report follows a successful commit.
struct Watchdog: Service {
    let notifier: ServiceNotifier
    let node: Node

    func run() async throws {
        guard let interval = notifier.watchdogMicroseconds else {
            try await gracefulShutdown()
            notifier.notify("STOPPING=1")
            return
        }
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                if await node.isAlive() { notifier.notify("WATCHDOG=1") }
                // Cancellation is how this ends.
                try? await Task.sleep(for: .microseconds(Int64(clamping: interval)))
            }
        }
        notifier.notify("STOPPING=1")
    }
}
