/// Makes another account the zone's owner, with the consent of that account.
///
/// ```
/// +-----------------------------+--------------+---------------------+--------------+--------------------------+
/// | SignedTransferConsent 225 B | count varint | count × LogPosition | count varint | count × SignedCapability |
/// +-----------------------------+--------------+---------------------+--------------+--------------------------+
///                                 both lists strictly ascending
/// ```
package struct OwnershipTransfer: Hashable, Sendable {
    /// The consent of the account that owns the zone from now on; whether it is worth anything is another question.
    package let consent: SignedTransferConsent
    /// The effective sizes of the old owner's logs under its own right, ascending; a log that is not listed is cut at
    /// zero.
    package let cuts: [LogPosition]
    /// Capabilities that the transfer carries, ascending by their bytes: root capabilities signed by the old owner's
    /// device that hold under the new owner, such as the old owner's own as an admin.
    package let regrants: [SignedCapability]

    /// Transfers a zone, and sorts the lists.
    /// - Parameters: as the properties of the same names.
    package init(consent: SignedTransferConsent, cuts: [LogPosition] = [], regrants: [SignedCapability] = []) {
        self.consent = consent
        self.cuts = cuts.inWireOrder()
        self.regrants = regrants.inWireOrder()
    }

    /// The account that owns the zone from now on.
    package var newOwner: AccountID { consent.consent.account }
}

extension OwnershipTransfer: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(consent)
        writer.writeList(cuts)
        writer.writeList(regrants)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        consent = try SignedTransferConsent(from: &reader)
        cuts = try reader.readCuts()
        regrants = try reader.readRegrants()
    }
}
