package import Identity
package import Records
import Sodium
import Wire

/// The keys of the account's devices that a device finds in the account log, or received.
package struct FoundFleetKeys: Sendable {
    /// Keys before the present one of the device, and the received one.
    package var keys: [FleetKey] = []
    /// Whether the received key is among them.
    package var hasOffered = false

    /// The number of envelopes that are tried for one change of the log.
    private static let openedCountMax = 64

    /// Looks for keys.
    /// - Parameters:
    ///   - log: The state of the account by its log.
    ///   - keyring: The keys that the device has.
    ///   - offered: A key from another device.
    ///   - device: The device.
    ///   - envelopes: The implementation that opens envelopes.
    package init(
        _ log: AccountState,
        _ keyring: AccountKeyring,
        offered: FleetKey?,
        device: DeviceIdentity,
        envelopes: (any EnvelopeSealing)?
    ) {
        let present = keyring.fleetKey(log.fleet).entry
        for generation in log.fleet.generations.prefix(while: { $0.entry != present }).prefix(Self.openedCountMax) {
            if let offered, generation.isMade(of: offered, in: log.account) {
                keys.append(offered)
            } else if let opened = Self.open(generation, of: log.account, device, envelopes) {
                keys.append(opened)
            }
        }
        // One that others call by, though it is not the first.
        if let offered, log.fleet.generation(offered.entry)?.isMade(of: offered, in: log.account) == true {
            keys.append(offered)
            hasOffered = true
        }
    }

    private static func open(
        _ generation: FleetState.Generation,
        of account: AccountID,
        _ device: DeviceIdentity,
        _ envelopes: (any EnvelopeSealing)?
    ) -> FleetKey? {
        guard let envelopes, let envelope = generation.envelope(for: device.deviceID) else { return nil }
        let info = AccountLog.fleetEnvelopeInfo(account: account, device: device.deviceID, nonce: generation.nonce)
        var seed = device.encapsulationSeed()
        defer { ConstantTime.wipe(&seed) }
        // One that does not open, or has another key in it, is no more than none.
        guard var secret = try? envelopes.open(envelope, seed: seed, info: info),
            secret.count == FleetSecret.keyByteCount
        else { return nil }
        defer { ConstantTime.wipe(&secret) }
        guard let key = try? FleetKey(FleetSecret(entry: generation.entry, key: secret)),
            generation.isMade(of: key, in: account)
        else { return nil }
        return key
    }
}

extension AccountLog {
    /// Makes a new key where removed devices may have the present one.
    ///
    /// A removal is effective without it; the account's devices then renew the key a little later.
    /// - Parameters:
    ///   - signer: A device with all rights, or the recovery key.
    ///   - envelopes: The implementation that seals the key.
    ///   - entropy: Randomness for the envelopes.
    ///   - random: The source of the key.
    /// - Returns: The key, whose entry is in the log; `nil` if none was made.
    package mutating func renewFleetKey(
        signer: AccountSigner,
        envelopes: (any EnvelopeSealing)?,
        entropy: TransactionEntropy,
        using random: inout some RandomNumberGenerator
    ) -> FleetKey? {
        guard let envelopes, state.fleet.isDue else { return nil }
        do {
            let (entry, key) = try renewingFleetKey(signer: signer, using: &random) { secret, recipient, info in
                // A device that states other bytes receives the key when it dials.
                try? envelopes.seal(secret, to: recipient, info: info, entropy: entropy)
            }
            return try insert(entry.encoded) ? key : nil
        } catch {
            return nil
        }
    }
}
