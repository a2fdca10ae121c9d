import Mailbox
import Wire

/// Takes all parcels as devices do: looks, fetches each, removes the ones that it has.
struct Withdrawals<Storage: ParcelStorage>: Sendable {
    private let storage: Storage
    private let load: ParcelLoad
    /// The number of mailboxes in one look: those of three partners and a month.
    private let lookCount = 99

    init(_ storage: Storage, _ load: ParcelLoad) {
        (self.storage, self.load) = (storage, load)
    }

    /// Takes the parcels.
    /// - Parameter takers: The number of takers at the same time, each with mailboxes of its own.
    /// - Returns: The pace; the times are those of fetching one parcel.
    /// - Throws: `BenchError.missing`, or an error of the storage.
    func run(takers: Int) async throws -> Pace {
        let progress = Progress("taken, \(takers) at once", load.count)
        let processor = Footprint.processorSeconds()
        let begun = ContinuousClock.now
        var times: [UInt32] = []
        times.reserveCapacity(load.count)
        try await withThrowingTaskGroup(of: [UInt32].self) { group in
            for taker in 0..<takers {
                let own = stride(from: taker, to: load.mailboxes.count, by: takers).map { load.mailboxes[$0] }
                group.addTask { try await take(own, progress) }
            }
            for try await some in group { times += some }
        }
        guard times.count == load.count else { throw BenchError.missing(load.count - times.count) }
        return Pace(
            count: load.count,
            seconds: (ContinuousClock.now - begun).seconds,
            processorSeconds: Footprint.processorSeconds() - processor,
            times: times
        )
    }

    private func take(_ mailboxes: [MailboxID], _ progress: Progress) async throws -> [UInt32] {
        var times: [UInt32] = []
        for start in stride(from: 0, to: mailboxes.count, by: lookCount) {
            let some = Array(mailboxes[start..<min(start + lookCount, mailboxes.count)])
            while true {
                let notices = try await storage.parcels(in: some, limit: Limits.parcelCountMax)
                guard !notices.isEmpty else { break }
                var taken: [MailboxID: [ParcelID]] = [:]
                for notice in notices {
                    let begun = ContinuousClock.now
                    let bytes = try await storage.parcel(notice.parcel, in: notice.mailbox)
                    times.append((ContinuousClock.now - begun).microseconds)
                    guard bytes?.count == load.byteCount else { throw BenchError.missing(1) }
                    taken[notice.mailbox, default: []].append(notice.parcel)
                }
                for (mailbox, parcels) in taken { try await storage.remove(parcels, from: mailbox) }
                progress.add(notices.count)
            }
        }
        return times
    }
}
