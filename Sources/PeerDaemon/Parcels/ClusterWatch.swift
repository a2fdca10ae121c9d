import Node
import ServiceLifecycle

/// Checks periodically whether the cluster that keeps a relay's parcels is safe, and reports the result where people
/// look.
struct ClusterWatch: Service {
    let storage: any ParcelCluster
    let node: Node

    /// Time between two looks.
    private static let interval = Duration.seconds(300)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    let faults = try await storage.faults()
                    node.warnings.note(parcelStorage: faults.map { (words: $0.words, fix: $0.fix) })
                    node.relayService?.noteFindings(count: faults.count)
                } catch {
                    node.warnings.note(parcelStorage: [
                        (
                            words: "The cluster that parcels are kept in does not answer.",
                            fix: "The daemon's log has the reason."
                        )
                    ])
                }
                // Cancellation is how this ends.
                try? await Task.sleep(for: Self.interval, tolerance: .seconds(30))
            }
        }
    }
}
