package import Wire

/// A request by this device that a device that rules a public zone write there.
package struct GuestOrder: Sendable {
    /// The driver's name for it; unique among the pending ones.
    package let id: UInt64
    /// The zone.
    package let zone: ZoneID
    /// Whether all of the writes are made or none.
    package let isAtomic: Bool
    /// The writes; at least one.
    package let writes: [GuestRecordWrite]
    /// This account's whole log, parents before children.
    package let entries: [[UInt8]]

    /// Describes an order.
    /// - Parameters: as the properties of the same names.
    package init(id: UInt64, zone: ZoneID, isAtomic: Bool, writes: [GuestRecordWrite], entries: [[UInt8]]) {
        self.id = id
        self.zone = zone
        self.isAtomic = isAtomic
        self.writes = writes
        self.entries = entries
    }

    func message(_ number: UInt64) -> GuestWrite {
        GuestWrite(number: number, zone: zone, isAtomic: isAtomic, writes: writes, entries: entries)
    }
}

/// The outcome of a ``GuestOrder``.
package enum GuestSettlement: Sendable, Equatable {
    /// A device that rules the zone has answered; of decided writes there are as many results as writes.
    case answered(GuestAnswer.Outcome)
    /// No device is connected that may write for others; nothing was done.
    case unreachable
    /// The limit of pending requests is reached; nothing was done.
    case busy
    /// The session ended, or no answer came in time: the write may have been made or not.
    case unknown
}
