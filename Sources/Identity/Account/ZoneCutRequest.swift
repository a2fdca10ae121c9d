package import Wire

/// The logs of a removed device in one zone, as far as they still count.
package struct ZoneCutRequest: Sendable {
    /// The zone.
    package let zone: ZoneID
    /// The device's logs there with the sizes and roots that the remover holds; logs not listed are cut at zero.
    package let logs: [LogPosition]

    /// Asks for a cut.
    package init(zone: ZoneID, logs: [LogPosition]) {
        self.zone = zone
        self.logs = logs
    }
}
