package import Wire

/// What is to be written into a slot.
package struct SlotClaim: Hashable, Sendable {
    /// Under which admission.
    package var admission: AdmissionID
    /// Into which slot.
    package var slot: SlotID
    /// What.
    package var value: Hash
    /// Until when it is held, in milliseconds since 1970.
    package var until: UInt64
    /// How much room there is.
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

    /// What a slot counts against quotas.
    package static let byteCount: UInt64 = 256
}

/// What became of a claim.
package enum SlotOutcome: Hashable, Sendable {
    /// The slot holds this, durably: the value of the claim, or one that was written before.
    case held(Hash)
    /// The slot is not written, and there is no room: under the admission, or in all.
    case full
    /// The admission is none (any more).
    case notAdmitted
}
