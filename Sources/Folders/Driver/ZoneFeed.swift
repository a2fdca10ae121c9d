import KairanClient
import KairanInterface

/// Reports the records of a zone: all of them first, then each change.
///
/// It waits for a daemon that does not run, and continues behind the last change when it runs again. Where the daemon's store is another one,
/// everything is read anew.
struct ZoneFeed: Sendable {
    /// News of the zone.
    enum News: Sendable {
        /// Everything that was known is void: all records follow.
        case began
        /// Records as they are now, or that were deleted.
        case records([Record])
        /// All records have been reported once.
        case complete
        /// The daemon reports changes from now on.
        case connected
        /// Content has arrived at this device.
        case arrived(String)
        /// The daemon cannot be reached, and is asked again.
        case interrupted(KairanError)
        /// The zone is not there any more.
        case gone
        /// Waiting does not help.
        case failed(KairanError)
    }

    let client: DaemonClient
    /// The id of the zone.
    let zone: String

    private static let pageCount = 1_000
    private static let firstPauseMilliseconds: Int64 = 250
    private static let longestPauseMilliseconds: Int64 = 15_000

    /// Reports until the task is cancelled, or until it has reported that the zone is gone or that waiting does not help.
    /// - Parameter report: Takes the news, in order.
    func run(_ report: @Sendable (News) -> Void) async {
        var token: String?
        var isComplete = false
        var failureCount = 0
        while !Task.isCancelled {
            do {
                if !isComplete {
                    if token == nil { report(.began) }
                    try await read(from: &token, report)
                    isComplete = true
                    report(.complete)
                }
                failureCount = 0
                guard try await listen(from: &token, report) else { return report(.gone) }
            } catch let error as KairanError {
                switch error.code {
                case "token.expired": (token, isComplete) = (nil, false)
                case "zone.deleted", "zone.unknown": return report(.gone)
                default:
                    guard error.isRetryable else { return report(.failed(error)) }
                    report(.interrupted(error))
                }
            } catch {
                return
            }
            let pause = min(Self.firstPauseMilliseconds << Int64(min(failureCount, 10)), Self.longestPauseMilliseconds)
            failureCount += 1
            do {
                try await Task.sleep(for: .milliseconds(pause))
            } catch {
                // Cancelled.
                return
            }
        }
    }

    private func read(from token: inout String?, _ report: (News) -> Void) async throws {
        while true {
            let page = try await client.changes(zone: zone, since: token, limit: Self.pageCount)
            report(.records(page.changes.map(\.record)))
            token = page.token
            if !page.more { return }
        }
    }

    /// Listens until the stream ends.
    /// - Returns: False when the zone is gone.
    private func listen(from token: inout String?, _ report: (News) -> Void) async throws -> Bool {
        let events = try await client.events(zone: zone, since: token)
        report(.connected)
        for try await event in events {
            switch event.kind {
            case .change(let change): report(.records([change.record]))
            case .zone(let change) where change.isDeleted: return false
            case .asset(let change) where change.state == .present: report(.arrived(change.asset))
            case .end: return true
            default: break
            }
            token = event.token ?? token
        }
        return true
    }
}
