import Sodium
package import Wire

extension AccountLog {
    /// Returns an envelope's purpose, so that it opens for nothing else.
    /// - Parameters:
    ///   - account: The account.
    ///   - device: The device that the envelope is for.
    ///   - nonce: The nonce of the entry that carries it.
    /// - Returns: The bytes that stand for it.
    package static func fleetEnvelopeInfo(account: AccountID, device: DeviceID, nonce: [UInt8]) -> [UInt8] {
        ContextString.fleetEnvelope.prefixed(account.bytes + device.bytes + nonce)
    }

    /// Makes the entry that makes another key of the account's devices, sealed to each that is active.
    ///
    /// Devices that state no key for envelopes, and those beyond the room of an entry, receive it when they call.
    /// - Parameters:
    ///   - signer: A device of the account with all rights, or the recovery key.
    ///   - generator: The source of key and nonce.
    ///   - seal: Seals a secret to a device's encapsulation key, for a purpose; `nil` where that is no key.
    /// - Returns: The signed entry, and the key.
    /// - Throws: As all entries.
    package func renewingFleetKey(
        signer: AccountSigner,
        using generator: inout some RandomNumberGenerator,
        seal: (_ secret: [UInt8], _ key: [UInt8], _ info: [UInt8]) -> [UInt8]?
    ) throws(AccountError) -> (entry: SignedAccountEntry, key: FleetKey) {
        let nonce = generator.randomBytes(AccountEntry.nonceByteCount)
        let key = FleetKey(using: &generator)
        var secret = key.export().key
        defer { ConstantTime.wipe(&secret) }
        var envelopes: [KeyEnvelope] = []
        for device in state.activeDevices {
            guard envelopes.count < Limits.fleetEnvelopeCountMax else { break }
            let recipient = state.devices[device]?.certificate.certificate.encapsulationKey ?? []
            let info = Self.fleetEnvelopeInfo(account: account, device: device, nonce: nonce)
            guard !recipient.isEmpty, let sealed = seal(secret, recipient, info) else { continue }
            envelopes.append(KeyEnvelope(device: device, sealed: sealed))
        }
        let renewal = FleetKeyRenewal(
            confirm: key.confirmation(account: account, nonce: nonce),
            envelopes: envelopes
        )
        let entry = try entry(.renewFleetKey(renewal.encoded), nonce: nonce, signer: signer)
        return (entry, key.made(by: UnverifiedAccountEntry.name(of: entry.encoded)))
    }
}
