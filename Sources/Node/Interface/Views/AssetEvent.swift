package import KairanInterface
package import Wire

/// Another state of an asset on this device, reported for each zone with a record that names it.
package struct AssetEvent: Sendable, Hashable {
    /// The zone.
    package var zone: ZoneID
    /// The id of the content.
    package var asset: PayloadID
    /// The state of the content now.
    package var state: Asset.State
    /// The percentage of the content that is here, 0...100.
    package var percent: Int

    /// Describes an event.
    /// - Parameters: as the properties of the same names.
    package init(zone: ZoneID, asset: PayloadID, state: Asset.State, percent: Int) {
        (self.zone, self.asset, self.state, self.percent) = (zone, asset, state, percent)
    }
}
