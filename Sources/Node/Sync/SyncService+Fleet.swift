import Identity
import Logging
import Peering
import Sync
import Wire

// The key by which the account's devices find and call each other.
extension SyncService {
    /// Settles the key in use after any change of the account log, or when a peer has sent a key: the first one that
    /// this device has.
    func settleFleetKeys(into effects: inout [SyncEffect]) {
        let identity = dependencies.identity
        do {
            try identity.settleFleetKeys()
        } catch {
            dependencies.logger.error("a key of the account's devices was not stored", metadata: ["error": "\(error)"])
        }
        let fleet = identity.fleetKeys
        feed(.fleetKeysChanged(identity.presentFleetSecret, held: Set(fleet.entries)), into: &effects)
        let former = toldFleetKey
        toldFleetKey = fleet.key.entry
        guard let former, former != fleet.key.entry else { return }
        dependencies.logger.info("the account's devices have another key", metadata: ["entry": "\(fleet.key.entry)"])
        // A device that was passed over may be recognised now, and one that was off may be called.
        reconsiderSightings()
        sessions.directory.forgetRefusals()
    }

    /// Counts the days of retired keys, and makes another key where a removed device may have the present one and this device's turn has come.
    func renewFleetKeyIfDue() {
        let identity = dependencies.identity
        let now = dependencies.clock.monotonic()
        let hasRetired = !identity.fleetKeys.order.earlier.isEmpty
        if hasRetired, fleetKeeping.counts(at: now) { countDays() }
        guard identity.isSealing else { return }
        switch fleetKeeping.step(identity.accountState, own: identity.device, at: now) {
        case .rest:
            fleetKeyDue = hasRetired ? fleetKeeping.countsAt : nil
        case .wait(let due):
            fleetKeyDue = due
        case .make:
            fleetKeyDue = now + FleetKeeping.longestMilliseconds
            makeFleetKey()
        }
    }

    private func countDays() {
        do {
            try dependencies.identity.hold([])
        } catch {
            dependencies.logger.error(
                "the days of retired keys were not counted; the next attempt is in an hour",
                metadata: ["error": "\(error)"]
            )
        }
    }

    private func makeFleetKey() {
        do {
            if try dependencies.identity.renewFleetKey() { mailbox.put(.accountChanged) }
        } catch {
            dependencies.logger.error(
                "a key of the account's devices was not made; the next attempt is in a minute",
                metadata: ["error": "\(error)"]
            )
        }
    }
}
