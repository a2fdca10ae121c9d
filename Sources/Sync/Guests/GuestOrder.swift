package import Wire

/// What this device asks a device that rules a public zone to write there.
package struct GuestOrder: Sendable {
    /// The driver's name for it; no two at the same time have the same.
    package let id: UInt64
    /// Where.
    package let zone: ZoneID
    /// True: all or none.
    package let isAtomic: Bool
    /// What; at least one.
    package let writes: [GuestRecordWrite]
    /// This account's whole log, parents before children, at most 512 KiB together.
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

/// What became of a ``GuestOrder``.
package enum GuestSettlement: Sendable, Equatable {
    /// A device that rules the zone has answered; of decided writes there are as many results as writes.
    case answered(GuestAnswer.Outcome)
    /// No device is connected that may write for others; nothing was done.
    case unreachable
    /// As many wait for an answer as may; nothing was done.
    case busy
    /// The session ended, or no answer came in time: it may have been written or not.
    case unknown
}
