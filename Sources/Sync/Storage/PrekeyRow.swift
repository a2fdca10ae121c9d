package import Wire

/// A prekey of this device, with its private half: messages in one zone are sealed to it, for about a day.
package struct PrekeyRow: Hashable, Sendable {
    /// Its id.
    package let id: PrekeyID
    /// The zone.
    package let zone: ZoneID
    /// The seed of the private half.
    package let seed: StoredSecret
    /// The time at which it was made, in milliseconds since 1970.
    package let begun: UInt64
    /// The time of its last statement, in milliseconds since 1970.
    package var stated: UInt64
    /// The time at which another one replaced it, in milliseconds since 1970; `nil` for the present one.
    package var superseded: UInt64?
    /// Whether another one is to replace it: a message that was sealed to it came, or one to a key that is not here.
    package var state: State

    /// The messages that came since it was made; the raw values are stored.
    package enum State: Int, Sendable, CaseIterable {
        /// None: there is nothing to protect.
        case unused = 0
        /// A message that was sealed to it.
        case used = 1
        /// A message that was sealed to a prekey of this device that is not here.
        case missed = 2
    }

    /// Describes a prekey.
    /// - Parameters: as the properties of the same names.
    package init(
        id: PrekeyID,
        zone: ZoneID,
        seed: StoredSecret,
        begun: UInt64,
        stated: UInt64,
        superseded: UInt64? = nil,
        state: State = .unused
    ) {
        self.id = id
        self.zone = zone
        self.seed = seed
        self.begun = begun
        self.stated = stated
        self.superseded = superseded
        self.state = state
    }
}
