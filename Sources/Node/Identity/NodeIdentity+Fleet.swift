import Identity
import Peering
import Records
import Sodium
import Sync
package import Wire

// The key by which the account's devices find and call each other, renewed with each removal.
extension NodeIdentity {
    /// Makes another key in a log that has just taken in a removal.
    ///
    /// The removal is effective without it, and then the account's devices see to the key a little later.
    /// - Parameters:
    ///   - log: The log; it gets the entry that makes the key.
    ///   - signer: The signer of the removal.
    /// - Returns: The key; `nil` if none was made.
    func renewFleetKey(in log: inout AccountLog, signer: AccountSigner) -> FleetKey? {
        var random = SystemRandom()
        return log.renewFleetKey(signer: signer, envelopes: envelopes, entropy: TransactionEntropy(), using: &random)
    }

    /// Makes another key where removed devices may have the present one, and this device may.
    /// - Returns: Whether one was made.
    /// - Throws: `PrivateFile.Failure`; then nothing changed.
    func renewFleetKey() throws -> Bool {
        var made: FleetKey?
        _ = try change { log in
            guard log.state.standing(of: keys.deviceID) == .active(.full) else { return false }
            made = renewFleetKey(in: &log, signer: .device(keys))
            return made != nil
        }
        guard let made else { return false }
        try hold([made])
        return true
    }

    /// Puts keys on the disk, and uses them as far as the account log permits.
    /// - Throws: `PrivateFile.Failure`; then nothing changed. Those for which there is an envelope are opened again at the next start.
    func hold(_ keys: [FleetKey]) throws {
        let wall = wallMilliseconds
        let fleet = accountState.fleet
        try changeKeyring { keyring in
            let held = keys.reduce(keyring) { $0.holding($1) }
            return held.updated(by: fleet, at: wall) ?? held
        }
    }

    /// Remembers a key that another device of the account has sent; only the newest.
    ///
    /// The entry that made it may still be on its way, so it is kept until then, in memory.
    package func offer(_ secret: FleetSecret) {
        // A secret that is no key is dropped; its sender loses nothing by it.
        setOfferedFleetKey(try? FleetKey(secret))
    }

    /// Takes the keys that the account log has envelopes for, and the offered one, as far as they come before the key
    /// that this device uses; retires those that were replaced.
    /// - Throws: `PrivateFile.Failure`; then it is tried again when the log changes.
    package func updateFleetKeys() throws {
        let (log, keyring, offered) = fleetFacts
        let found = FoundFleetKeys(log, keyring, offered: offered, device: keys, envelopes: envelopes)
        if found.hasOffered { setOfferedFleetKey(nil) }
        let held = found.keys.reduce(keyring) { $0.holding($1) }
        guard held.updated(by: log.fleet, at: wallMilliseconds) != nil || held !== keyring else { return }
        try hold(found.keys)
    }
}
