package import Wire

/// The times since when this store knows devices, by its own clock or by most others' clocks where they are later.
///
/// Times in a log or a certificate are only their author's word; the time since a device was last heard of is counted
/// from here.
package struct KnownDevices: Hashable, Sendable {
    /// One device of one account: a device that moves to another account is new there.
    package struct Key: Hashable, Comparable, Sendable {
        /// The account.
        package let account: AccountID
        /// The device.
        package let device: DeviceID

        /// Names a device.
        package init(_ device: DeviceID, of account: AccountID) {
            self.account = account
            self.device = device
        }

        /// By account, then by device.
        package static func < (left: Self, right: Self) -> Bool {
            (left.account, left.device) < (right.account, right.device)
        }
    }

    /// Milliseconds since 1970.
    package private(set) var since: [Key: UInt64]

    /// Takes the times of a store.
    package init(since: [Key: UInt64] = [:]) {
        self.since = since
    }

    /// The times as a store keeps them.
    package var storable: KnownDevices { KnownDevices(since: since.mapValues(\.storable)) }

    /// Takes in the devices that are active now: new ones are known since now, and others are forgotten.
    /// - Parameters:
    ///   - active: The active devices of all accounts that are known.
    ///   - wall: Milliseconds since 1970.
    package mutating func update(_ active: Set<Key>, wall: UInt64) {
        since = since.filter { active.contains($0.key) }
        for key in active where since[key] == nil { since[key] = wall }
    }

    /// Replaces times in the future by the present: they were noted while this machine's clock was ahead.
    ///
    /// It is only for a clock with which others agree.
    /// - Parameter wall: Milliseconds since 1970.
    /// - Returns: Whether there were any.
    package mutating func correct(wall: UInt64) -> Bool {
        let ahead = since.filter { $0.value > wall }.keys
        for key in ahead { since[key] = wall }
        return !ahead.isEmpty
    }
}
