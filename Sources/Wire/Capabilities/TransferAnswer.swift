/// Answers the offer of a zone.
///
/// ```
/// +-----+-----------------------------+
/// | tag | payload                     |   1 accepted: SignedTransferConsent     2 declined: offer 32 B
/// +-----+-----------------------------+
/// ```
///
/// It has no effect on rights.
package enum TransferAnswer: Hashable, Sendable {
    /// The account consents to own the zone.
    case accepted(SignedTransferConsent)
    /// It declines this offer, named by its hash.
    case declined(offer: Hash)

    /// The hash of the offer that is answered.
    package var offer: Hash {
        switch self {
        case .accepted(let signed): signed.consent.offer
        case .declined(let offer): offer
        }
    }
}

extension TransferAnswer: WireCodable {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .accepted(let signed):
            writer.writeByte(1)
            writer.write(signed)
        case .declined(let offer):
            writer.writeByte(2)
            writer.write(offer)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 1: self = .accepted(try SignedTransferConsent(from: &reader))
        case 2: self = .declined(offer: try Hash(from: &reader))
        case let tag: throw .unknownTag(UInt64(tag))
        }
    }
}
