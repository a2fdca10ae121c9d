package import Wire

/// The key under which a zone is written.
package struct EpochStatus: Sendable, Hashable {
    /// The zone.
    package var zone: ZoneID
    /// The epoch whose key it is.
    package var epoch: Hash

    /// Makes a status.
    package init(zone: ZoneID, epoch: Hash) {
        (self.zone, self.epoch) = (zone, epoch)
    }
}
