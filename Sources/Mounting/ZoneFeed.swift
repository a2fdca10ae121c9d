internal import KairanClient
internal import KairanInterface
internal import Synchronization

/// Follows the records of a zone, and keeps the tree of a mount in step with them.
///
/// While the daemon does not run, the tree stays as it was; when it runs again, the changes meanwhile follow.
struct ZoneFeed: Sendable {
    /// The number of changes that are asked for at a time.
    private static let pageCount = 1_000

    /// The zone.
    let zone: Zone
    /// Asks the daemon.
    let client: DaemonClient
    /// The mount.
    let mount: ZoneMount
    /// The time, in milliseconds since 1970.
    let now: @Sendable () -> Int64

    /// Reads all records of the zone into the tree.
    /// - Parameter tell: Takes the parts that have changed.
    /// - Returns: The token behind which changes follow.
    /// - Throws: `KairanError`, `CancellationError`.
    func load(_ tell: (TreeNews) async -> Void = { _ in }) async throws -> String {
        var all: [Name: RecordFiles] = [:]
        var token: String?
        while true {
            let page = try await client.changes(zone: zone.zone, since: token, limit: Self.pageCount)
            for change in page.changes {
                let files = Self.files(of: change)
                all[files.record] = files.isEmpty ? nil : files
            }
            token = page.token
            guard !page.more else { continue }
            // In one order, so that colliding numbers are the same in each mount.
            let records = all.values.sorted { $0.record < $1.record }
            let news = mount.state.withLock { state in
                state.own.reset()
                return state.tree.replace(with: records, at: now())
            }
            mount.noteDeepFiles()
            await tell(news)
            return page.token
        }
    }

    /// Takes in changes, until waiting for more does not help.
    /// - Parameters:
    ///   - token: The token behind which the changes follow.
    ///   - tell: Takes the parts that have changed.
    /// - Throws: `KairanError`, ``ZoneEnd``, `CancellationError`.
    func follow(since token: String, _ tell: (TreeNews) async -> Void) async throws {
        do {
            for try await element in RecordZone(zone, client: client).subscription(since: token) {
                switch element.kind {
                case .event(.change(let change)):
                    let news = await mount.learn(change, at: now())
                    if !news.isEmpty { await tell(news) }
                case .event(.zone(let change)):
                    if let departure = change.departure, departure.zone == zone.zone { throw ZoneEnd(zone: zone.name) }
                case .expired: try await reload(tell)
                default: break
                }
            }
        } catch let error as KairanError where error.departure != nil {
            // The zone went while no connection was open.
            throw ZoneEnd(zone: zone.name)
        }
        throw ZoneEnd(zone: zone.name)
    }

    /// Reads all records anew, because the daemon's store is another one; waits for a daemon that is not there.
    private func reload(_ tell: (TreeNews) async -> Void) async throws {
        while true {
            do {
                _ = try await load(tell)
                return
            } catch let error as KairanError where error.isRetryable {
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    private static func files(of change: Change) -> RecordFiles {
        change.kind == .save ? RecordFiles(change.record) : RecordFiles(without: change.record.name)
    }
}

/// The end of a mount because the zone is not there any more for this account.
struct ZoneEnd: Error, Hashable, CustomStringConvertible {
    /// The name of the zone.
    let zone: String

    /// The reason, as a sentence.
    var description: String { "The zone \(zone) was deleted, or this account has no part in it any more." }
}
