package import Wire

/// A guest, without a log in the zone, on whose behalf a store writes under its own name.
package struct GuestAuthor: Sendable {
    /// The device that is named as the creator of the records that it has made.
    package let device: DeviceID
    /// Whether it may write a record.
    ///
    /// Asked for each write with the state that earlier writes of the same transaction have left: the record's type,
    /// its name, and the device that is named as its creator, nil if the record is to be made.
    package let mayWrite: @Sendable (_ type: String, _ name: String, _ creator: DeviceID?) -> Bool

    /// Names a guest.
    /// - Parameters: as the properties of the same names.
    package init(
        device: DeviceID,
        mayWrite: @escaping @Sendable (_ type: String, _ name: String, _ creator: DeviceID?) -> Bool
    ) {
        self.device = device
        self.mayWrite = mayWrite
    }
}
