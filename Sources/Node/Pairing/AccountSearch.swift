import Logging
import Peering
import Records
import Session
import Sync

/// The search for a device that admits this one to its account, for the caller who waits.
struct AccountSearch: Sendable {
    /// The state of a search, at one moment.
    private enum State {
        case replaced
        case ended(Result<JoiningSuccess, JoiningFailure>)
        case open(isAsking: Bool)
    }

    private let sync: SyncService

    /// Searches on behalf of a service's device.
    init(_ sync: SyncService) {
        self.sync = sync
    }

    /// Looks for a device that admits this one and enters its account; this device's other data is moved there.
    /// - Parameters:
    ///   - search: The search.
    ///   - secret: The secret under which this device calls.
    ///   - timeoutMilliseconds: The time to look.
    ///   - notFound: The error when no device was found.
    /// - Returns: The device that admitted this one.
    /// - Throws: `accountHasDevices`, `busy`, the other side's refusal, or `notFound`.
    func join(
        _ search: JoiningCore.Search,
        under secret: ChannelSecret,
        timeoutMilliseconds: UInt64,
        otherwise notFound: NodeError
    ) async throws(NodeError) -> PairingOutcome {
        let dependencies = sync.dependencies
        guard dependencies.identity.mayJoin else { throw NodeError.accountHasDevices }
        var described = search
        do {
            let zones = try await dependencies.storage.read { try $0.zones() }
            described.hasZones = zones.contains { $0.state == .live }
        } catch {
            throw NodeError(.storageFailed, "The storage failed; nothing was changed.", fix: "See the daemon's log.")
        }
        let wanted = described
        let begun: UInt64? = await sync.use { core in
            core.joining.isSearching(against: wanted) ? nil : core.beginSearch(wanted, under: secret)
        }
        guard let number = begun else {
            throw NodeError(.busy, "A search for another account is running.", fix: "Try again in a minute.")
        }
        let deadline = dependencies.clock.monotonic() + timeoutMilliseconds
        let found = await outcome(number, until: deadline, otherwise: notFound)
        await sync.stepAside { $0.endSearch(number, in: &$1) }
        let outcome = try found.get()
        // The zones are moved by jobs that a first job enqueues: behind the second one here all of them are done.
        for _ in 0..<2 {
            do {
                try await dependencies.commits.perform { _ in () }
            } catch {
                // The move is tried again by the maintenance and at the next start; the pairing itself is done.
                dependencies.logger.warning("old zones not moved yet", metadata: ["error": "\(error)"])
            }
        }
        return outcome
    }

    /// Waits until an outcome is there.
    ///
    /// An outcome before the deadline is used, however late this is called.
    private func outcome(
        _ number: UInt64,
        until deadline: UInt64,
        otherwise notFound: NodeError
    ) async -> Result<PairingOutcome, NodeError> {
        var isCancelled = false
        while true {
            switch await state(number) {
            case .replaced:
                return .failure(NodeError(.busy, "Another search has replaced this one.", fix: "Try again."))
            case .ended(let outcome):
                return outcome.map { PairingOutcome($0) }.mapError { NodeError($0) }
            case .open(let isAsking):
                guard !isCancelled else {
                    return .failure(NodeError(.notReady, "The search was cancelled.", fix: "Try again."))
                }
                // A joining that is under way at this moment gets a little more time.
                let end = isAsking ? deadline + 5_000 : deadline
                guard sync.dependencies.clock.monotonic() < end else { return .failure(notFound) }
            }
            do {
                try await Task.sleep(for: .milliseconds(100))
            } catch {
                // An outcome that is there by now is used all the same.
                isCancelled = true
            }
        }
    }

    private func state(_ number: UInt64) async -> State {
        await sync.look { core in
            guard let search = core.joining.search, search.number == number else { return .replaced }
            return search.outcome.map { .ended($0) } ?? .open(isAsking: core.joining.isAsking)
        }
    }
}
