package import Wire

/// A claim of a slot: a value to write, unless the slot holds one.
package struct SlotClaim: Hashable, Sendable {
    /// The admission that it is made under.
    package var admission: AdmissionID
    /// The slot.
    package var slot: SlotID
    /// The value.
    package var value: Hash
    /// The time until which the slot is held, in milliseconds since 1970.
    package var until: UInt64
    /// The room that the relay has.
    package var room: ParcelRoom

    /// Makes a claim.
    /// - Parameters: as the properties of the same names.
    package init(admission: AdmissionID, slot: SlotID, value: Hash, until: UInt64, room: ParcelRoom) {
        self.admission = admission
        self.slot = slot
        self.value = value
        self.until = until
        self.room = room
    }

    /// The bytes that a slot takes of quotas.
    package static let byteCount: UInt64 = 256
}

/// The outcome of a claim.
package enum SlotOutcome: Hashable, Sendable {
    /// The slot holds this, durably: the value of the claim, or one that was written before.
    case held(Hash)
    /// The slot is not written, and there is no room: under the admission, or in all.
    case full
    /// There is no such admission (any more).
    case notAdmitted
}
