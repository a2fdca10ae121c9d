/// The consent of an account to own a zone, as one of its devices states it.
///
/// ```
/// +---+---------+--------------+------------+----------+-----------+
/// | 1 | zone 32 | ownership 32 | account 32 | offer 32 | device 32 |
/// +---+---------+--------------+------------+----------+-----------+
/// ```
package struct TransferConsent: Hashable, Sendable {
    /// The zone.
    package let zone: ZoneID
    /// The ownership that ends: zero for the first one, else the hash of the transfer that made it.
    package let ownership: Hash
    /// The account that is to own the zone.
    package let account: AccountID
    /// The hash of the offer that is answered.
    package let offer: Hash
    /// The device of the account that consents.
    package let device: DeviceID

    /// States a consent.
    /// - Parameters: as the properties of the same names.
    package init(zone: ZoneID, ownership: Hash, account: AccountID, offer: Hash, device: DeviceID) {
        self.zone = zone
        self.ownership = ownership
        self.account = account
        self.offer = offer
        self.device = device
    }

    /// The format that this code writes and reads.
    package static let format: UInt8 = 1
}

extension TransferConsent: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(Self.format)
        writer.write(zone)
        writer.write(ownership)
        writer.write(account)
        writer.write(offer)
        writer.write(device)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        try reader.readFormat(Self.format)
        zone = try ZoneID(from: &reader)
        ownership = try Hash(from: &reader)
        account = try AccountID(from: &reader)
        offer = try Hash(from: &reader)
        device = try DeviceID(from: &reader)
    }
}

/// A consent with its signature, which holding it here does not verify.
///
/// ```
/// +-----------------------+----------------+
/// | TransferConsent 161 B | signature 64 B |
/// +-----------------------+----------------+
/// ```
package struct SignedTransferConsent: Hashable, Sendable {
    /// The consent that is signed.
    package let consent: TransferConsent
    /// The device's signature over its context and the consent's encoding.
    package let signature: Signature64

    /// Joins a consent with its signature.
    package init(consent: TransferConsent, signature: Signature64) {
        self.consent = consent
        self.signature = signature
    }
}

extension SignedTransferConsent: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(consent)
        writer.write(signature)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        consent = try TransferConsent(from: &reader)
        signature = try Signature64(from: &reader)
    }
}
