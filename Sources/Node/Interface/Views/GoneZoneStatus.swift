package import Wire

/// A zone that was here.
package struct GoneZoneStatus: Sendable {
    /// The zone.
    package var zone: ZoneID
    /// Its name, which may be another one's by now.
    package var name: String
    /// Its container.
    package var container: String
    /// The reason why it is no longer here.
    package var end: ZoneEnd

    /// Makes a description.
    package init(zone: ZoneID, name: String, container: String, end: ZoneEnd) {
        self.zone = zone
        self.name = name
        self.container = container
        self.end = end
    }
}
