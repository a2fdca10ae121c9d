package import Wire

/// A request of a person or a program to evict a content.
package struct EvictionOrder: Hashable, Sendable {
    /// The driver's name for it; unique among the pending ones, and among the pending ``HolderQuestion``s.
    package let id: UInt64
    /// The payload.
    package let payload: PayloadID
    /// The promises of other devices that it takes; at least one.
    package let copies: Int
    /// Whether promises of devices of other accounts count.
    package let countsOthers: Bool

    /// Describes an order.
    /// - Parameters: as the properties of the same names; fewer copies than one are one.
    package init(id: UInt64, payload: PayloadID, copies: Int = 1, countsOthers: Bool = false) {
        self.id = id
        self.payload = payload
        self.copies = max(copies, 1)
        self.countsOthers = countsOthers
    }
}

/// A question of a person or a program which connected devices hold a content.
package struct HolderQuestion: Hashable, Sendable {
    /// The driver's name for it; unique among the pending ones, and among the pending ``EvictionOrder``s.
    package let id: UInt64
    /// The payload.
    package let payload: PayloadID
    /// Zones whose records name it, under which devices are asked.
    package let zones: [ZoneID]

    /// Describes a question.
    /// - Parameters: as the properties of the same names.
    package init(id: UInt64, payload: PayloadID, zones: [ZoneID]) {
        (self.id, self.payload, self.zones) = (id, payload, zones)
    }
}

/// The drop of a content, for which enough devices have made promises.
package struct EvictionDrop: Hashable, Sendable {
    /// The payload.
    package let payload: PayloadID
    /// The number of the attempt.
    package let attempt: UInt64
    /// The time until which all of the promises stand, in milliseconds since 1970, by the clocks of their devices.
    package let promisedUntil: UInt64
    /// A device that has made one, which is asked first when the content is wanted again.
    package let holder: DeviceID

    /// Describes a drop.
    /// - Parameters: as the properties of the same names.
    package init(payload: PayloadID, attempt: UInt64, promisedUntil: UInt64, holder: DeviceID) {
        (self.payload, self.attempt, self.promisedUntil, self.holder) = (payload, attempt, promisedUntil, holder)
    }
}
