/// Makes another account the zone's owner.
///
/// ```
/// +---------------+--------------+---------------------+--------------+--------------------------+
/// | newOwner 32 B | count varint | count × LogPosition | count varint | count × SignedCapability |
/// +---------------+--------------+---------------------+--------------+--------------------------+
///                   both lists strictly ascending
/// ```
package struct OwnershipTransfer: Hashable, Sendable {
    /// Who owns the zone from now on.
    package let newOwner: AccountID
    /// Up to where the old owner's logs under its own right count, ascending; what is not listed is cut at zero.
    package let cuts: [LogPosition]
    /// Capabilities that the transfer carries, ascending by their bytes: root capabilities signed by the old owner's
    /// device that hold under the new owner, such as the old owner's own as an admin.
    package let regrants: [SignedCapability]

    /// Hands a zone over; the lists are put in order.
    /// - Parameters: as the properties of the same names.
    package init(newOwner: AccountID, cuts: [LogPosition] = [], regrants: [SignedCapability] = []) {
        self.newOwner = newOwner
        self.cuts = cuts.inWireOrder()
        self.regrants = regrants.inWireOrder()
    }
}

extension OwnershipTransfer: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(newOwner)
        writer.writeList(cuts)
        writer.writeList(regrants)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        newOwner = try AccountID(from: &reader)
        cuts = try reader.readCuts()
        regrants = try reader.readRegrants()
    }
}
