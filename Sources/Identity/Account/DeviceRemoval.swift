import Wire

/// A removal that counts.
struct DeviceRemoval: Hashable, Sendable {
    /// The device that removed it; nil for the recovery key.
    let author: DeviceID?
    /// The entry's nonce, which blinds the zones.
    let nonce: [UInt8]
    /// What of the device still counts.
    let cuts: AccountCuts

    /// What the removal says about one log; nil if it does not list it.
    /// - Complexity: O(log zones + log logs).
    func position(actor: ActorID, lane: Lane, zone: ZoneID) -> LogPosition? {
        guard let zoneCut = zoneCut(zone) else { return nil }
        return Self.find(ActorLane(actor: actor, lane: lane), in: zoneCut.logs, by: \.key)
    }

    /// What the removal says about a zone; nil if it does not list it.
    func zoneCut(_ zone: ZoneID) -> ZoneCut? {
        Self.find(BlindedZone.hash(of: zone, nonce: nonce), in: cuts.zones, by: \.zone)
    }

    /// Binary search; the lists are strictly ascending, which decoding has made sure of.
    private static func find<Item, Key: Comparable>(
        _ key: Key,
        in items: [Item],
        by keyPath: KeyPath<Item, Key>
    ) -> Item? {
        var (low, high) = (0, items.count)
        while low < high {
            let middle = low + (high - low) / 2
            let candidate = items[middle][keyPath: keyPath]
            if candidate == key { return items[middle] }
            if candidate < key { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}
