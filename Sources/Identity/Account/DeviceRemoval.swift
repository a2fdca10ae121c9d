import Wire

/// A removal that counts.
struct DeviceRemoval: Hashable, Sendable {
    /// The entry's nonce, which blinds the zones.
    let nonce: [UInt8]
    /// What of the device still counts.
    let cuts: AccountCuts

    /// What the removal says about one log; nil if it does not list it.
    /// - Complexity: O(log zones + log logs).
    func position(actor: ActorID, lane: Lane, zone: ZoneID) -> LogPosition? {
        let blinded = BlindedZone.hash(of: zone, nonce: nonce)
        guard let zoneCut = Self.find(blinded, in: cuts.zones, by: \.zone) else { return nil }
        return Self.find(ActorLane(actor: actor, lane: lane), in: zoneCut.logs, by: \.key)
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
