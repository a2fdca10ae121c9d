package import Wire

/// An offer of the zone to another account, as it stands.
package struct OwnershipOffer: Hashable, Sendable {
    /// The operation.
    package let entry: Hash
    /// The right of the ownership that would end.
    package let ownership: Hash
    /// The actor that made the offer, and completes the transfer.
    package let author: ActorID
    /// The account that is to own the zone.
    package let newOwner: AccountID
    /// The level of the right that the old owner keeps; `nil` for none.
    package let keeps: AccessLevel?
    /// The last answer of that account, if it has given one.
    package let answer: TransferAnswer?

    /// The consent, if the account accepts.
    package var consent: SignedTransferConsent? {
        if case .accepted(let consent) = answer { consent } else { nil }
    }
}

extension ControlState {
    /// The offer of the zone that stands: the last one under the present ownership, as long as it was not withdrawn and its account may
    /// read the zone by a right of its own.
    package var offer: OwnershipOffer? {
        guard let lastOffer, let participant = participants[lastOffer.newOwner], participant.rights.level >= .read
        else {
            return nil
        }
        return lastOffer
    }
}
