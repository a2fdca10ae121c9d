package import Wire

/// The last statement of another device of this account about a content.
///
/// A device that has stated that it does not hold the content has a row too: it need not be asked again for some time.
package struct HolderRow: Hashable, Sendable {
    /// The payload.
    package let payload: PayloadID
    /// The device.
    package let device: DeviceID
    /// Whether it has stated that it holds the content.
    package let holds: Bool
    /// The time of the statement, in milliseconds since 1970.
    package let stated: UInt64
    /// The time from which on the device is asked again, in milliseconds since 1970.
    package let due: UInt64

    /// Describes a statement.
    /// - Parameters: as the properties of the same names.
    package init(payload: PayloadID, device: DeviceID, holds: Bool, stated: UInt64, due: UInt64) {
        (self.payload, self.device, self.holds) = (payload, device, holds)
        (self.stated, self.due) = (stated, due)
    }
}

extension HolderRow {
    /// The time after which a holder is asked again, and the longest one for another device: a week.
    package static let pauseMillisecondsMax: UInt64 = 7 * 24 * 60 * 60 * 1_000
    /// The time after which a device without the content is asked again for the first time, in milliseconds; doubled each time.
    ///
    /// Content that was just added is mostly on its way to the other devices.
    package static let pauseMilliseconds: UInt64 = 10 * 60 * 1_000
    /// The age of a statement at which a newer one that says the same takes its place: a day.
    package static let freshMilliseconds: UInt64 = 24 * 60 * 60 * 1_000

    /// Returns the row to keep when a device makes a statement.
    /// - Parameters:
    ///   - holds: The statement.
    ///   - payload: The payload.
    ///   - device: The device.
    ///   - now: The time, in milliseconds since 1970.
    ///   - known: The row of the device's last statement.
    /// - Returns: `nil` where that row is kept: it says the same, and is fresh.
    static func noting(
        _ holds: Bool,
        of payload: PayloadID,
        by device: DeviceID,
        at now: UInt64,
        over known: HolderRow?
    ) -> HolderRow? {
        let former = known?.holds == holds ? known : nil
        if let former, former.stated <= now, now < former.due, now - former.stated < freshMilliseconds { return nil }
        var pause = pauseMillisecondsMax
        if !holds {
            let before = former.map { $0.due > $0.stated ? $0.due - $0.stated : 0 } ?? 0
            pause = min(max(before, pauseMilliseconds / 2), pauseMillisecondsMax / 2) * 2
        }
        assert((pauseMilliseconds...pauseMillisecondsMax).contains(pause), "a device is asked again within a week")
        return HolderRow(payload: payload, device: device, holds: holds, stated: now, due: now &+ pause)
    }
}

/// An asset whose content is here, by the parts of its row that are read for many at a time.
package struct PresentAsset: Hashable, Sendable {
    /// The number of the payload.
    package let number: UInt64
    /// The payload.
    package let id: PayloadID
    /// The bytes of its content.
    package let byteCount: UInt64
    /// The time at which it became known, in milliseconds since 1970.
    package let begun: UInt64

    /// Describes an asset.
    /// - Parameters: as the properties of the same names.
    package init(number: UInt64, id: PayloadID, byteCount: UInt64, begun: UInt64) {
        (self.number, self.id, self.byteCount, self.begun) = (number, id, byteCount, begun)
    }
}
