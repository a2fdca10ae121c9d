import Invocation
import Node
import ServiceLifecycle

/// Keeps the line that `systemctl status` shows of the daemon.
struct StatusLine: Service {
    /// The interval at which the node is asked.
    private static let interval = Duration.seconds(10)

    let notifier: ServiceNotifier
    let node: Node

    func run() async throws {
        guard notifier.isUsed else { return try await gracefulShutdown() }
        await cancelWhenGracefulShutdown {
            var shown: String?
            while !Task.isCancelled {
                if let status = try? await node.health.status() {
                    let line = Self.text(status)
                    if line != shown { notifier.notify("STATUS=" + line) }
                    shown = line
                }
                // Cancellation is how this ends.
                try? await Task.sleep(for: Self.interval, tolerance: .seconds(2))
            }
        }
    }

    /// The line: the numbers of peers and zones, and whether all are synchronised; before it the worst trouble.
    static func text(_ status: NodeStatus) -> String {
        let peers = status.peers == 1 ? "1 peer connected" : "\(status.peers) peers connected"
        let zones = status.zones == 1 ? "1 zone" : "\(status.zones) zones"
        let work =
            switch status.pending {
            case 0: "in step"
            case 1: "1 operation pending"
            default: "\(status.pending) operations pending"
            }
        let worst = status.health.first { $0.severity != .info && !$0.isAcknowledged }.map {
            "\($0.code): \($0.message) "
        }
        return "\(worst ?? "")\(peers), \(zones), \(work)".replacing("\n", with: " ")
    }
}
