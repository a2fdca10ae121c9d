/// Offers the zone to another account, or withdraws an earlier offer.
///
/// ```
/// +------------------------+-------------------+
/// | newOwner optional 32 B | keeps optional 1  |   optional: 0, or 1 and the value; without newOwner no keeps
/// +------------------------+-------------------+
/// ```
///
/// It has no effect on rights: the new owner has to consent, and a transfer that carries the consent makes it the owner.
package struct TransferOffer: Hashable, Sendable {
    /// The account that is to own the zone; `nil` withdraws the earlier offer.
    package let newOwner: AccountID?
    /// The level of the right that the old owner keeps; `nil` for none.
    package let keeps: AccessLevel?

    /// Offers the zone to an account.
    /// - Parameters: as the properties of the same names.
    package init(to newOwner: AccountID, keeps: AccessLevel? = nil) {
        (self.newOwner, self.keeps) = (newOwner, keeps)
    }

    private init() {
        (newOwner, keeps) = (nil, nil)
    }

    /// Withdraws the earlier offer.
    package static let withdrawal = TransferOffer()
}

extension TransferOffer: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeOptional(newOwner)
        writer.writeOptional(keeps)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        newOwner = try reader.readOptional()
        keeps = try reader.readOptional()
        // A withdrawal has one encoding.
        guard newOwner != nil || keeps == nil else { throw .invalidValue("keeps") }
    }
}
