/// Asks to be taken into the receiver's account, under a pairing ticket.
///
/// ```
/// +-------------------+--------------+
/// | certificate bytes | account 32 B |
/// +-------------------+--------------+
/// ```
package struct PairRequest: Hashable, Sendable {
    /// The sender's encoded `SignedDeviceCertificate`.
    package var certificate: [UInt8]
    /// The account that the sender is in until now.
    package var account: AccountID

    /// Makes a message.
    package init(certificate: [UInt8], account: AccountID) {
        self.certificate = certificate
        self.account = account
    }
}

extension PairRequest: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeBytes(certificate)
        writer.write(account)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        certificate = try reader.readBytes(maximum: Limits.certificateByteCountMax)
        account = try AccountID(from: &reader)
    }
}
