import CoreMetrics
import Logging
import Mailbox

extension RelayService {
    /// The time that the storage has before metrics are reported without it, so that their reader does not wait for
    /// ever.
    private static let patience = Duration.seconds(2)

    /// Sets the gauges of the relay's present state.
    ///
    /// A gauge whose value the storage does not report in time keeps its last value.
    func measure() async {
        measures.sessions.set(connections.count)
        measures.sessionsEntered.set(core.enteredCount)
        measures.sessionsMax.set(MailboxRelay.Settings().sessionCountMax)
        measures.room.set(Double(room.total))
        measures.admissionsMax.set(Admission.countMax)
        let (reading, continuation) = AsyncStream.makeStream(of: Void.self)
        queue.put(.measure(continuation))
        let isRead = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in reading {}
                return !Task.isCancelled
            }
            group.addTask {
                // Cancellation is one of the ways in which this ends.
                try? await Task.sleep(for: Self.patience)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        if !isRead { measures.storageReachable.set(0) }
    }

    /// Reads the usage of the storage, unless that is under way.
    func readUsage() async {
        guard !isReadingUsage else { return }
        isReadingUsage = true
        defer { isReadingUsage = false }
        do {
            let usages = try await storage.admissions()
            measures.admissions.set(usages.count)
            measures.parcels.set(usages.reduce(0.0) { $0 + Double($1.parcelCount) })
            measures.bytes.set(usages.reduce(0.0) { $0 + Double($1.byteCount) })
            measures.quotas.set(usages.reduce(0.0) { $0 + Double($1.admission.quota) })
            measures.fullest.set(usages.map { Double($0.byteCount) / Double(max($0.admission.quota, 1)) }.max() ?? 0)
            measures.storageReachable.set(1)
        } catch {
            logger.warning("the relay's storage reports no metrics", metadata: ["error": "\(error)"])
            measures.storageReachable.set(0)
        }
    }

    /// Sets the number of findings about a cluster.
    package nonisolated func noteFindings(count: Int) { measures.storageFindings.set(count) }
}
