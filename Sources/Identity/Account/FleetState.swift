package import Wire

/// The keys, by an account's log, by which the account's own devices find and call each other.
///
/// A generation is made by an effective entry, or comes with the account. A removed device *may have* the key of a
/// generation if the entry that made it has none of the device's removals among its ancestors, or an envelope for the
/// device. The present generation is the one that the fewest removed devices may have, and of several the first by
/// (generation of the entry, hash).
///
/// So it is a function of the set of entries. Removals that did not know of each other each have a generation that
/// the other device may have, and one that knows both replaces these two. Further generations change nothing, however
/// many a device makes.
package struct FleetState: Hashable, Sendable {
    /// One generation.
    package struct Generation: Hashable, Sendable {
        /// The entry that made it; zeros for the one that came with the account.
        package let entry: Hash
        /// The entry's nonce; empty for the first one.
        package let nonce: [UInt8]
        /// The renewal in the entry; `nil` for the first one.
        package let renewal: FleetKeyRenewal?
        /// The number of removed devices that may have the key.
        package let exposureCount: Int

        /// The envelope for a device.
        package func envelope(for device: DeviceID) -> [UInt8]? {
            renewal?.envelopes.first { $0.device == device }?.sealed
        }

        /// Whether a key is the one that the entry made.
        package func isMade(of key: FleetKey, in account: AccountID) -> Bool {
            key.entry == entry && key.confirmation(account: account, nonce: nonce) == renewal?.confirm
        }
    }

    /// All generations, the present one first.
    package let generations: [Generation]

    /// Whether a removed device may have the present key, so that another one is to be made.
    package var isDue: Bool { (generations.first?.exposureCount ?? 0) > 0 }

    /// The generation of an entry.
    package func generation(_ entry: Hash) -> Generation? { generations.first { $0.entry == entry } }
}

extension FleetState {
    /// Finds the generations that entries make.
    /// - Parameters:
    ///   - nodes: All entries.
    ///   - ordered: The effective ones, in the order of the log.
    ///   - removed: The devices that those remove.
    /// - Complexity: O(envelopes), and O(entries / 64) for each generation, removed device, and generation and device removed twice.
    ///   Where each is of another device, one count of bits is enough for all removals among a generation's
    ///   ancestors.
    init(_ nodes: [AccountNode], ordered: [Int], removed: Set<DeviceID>) {
        var removals: [DeviceID: EntrySet] = [:]
        for index in ordered {
            guard case .removeDevice(let removal) = nodes[index].entry.action else { continue }
            removals[removal.device, default: EntrySet()].insert(index)
        }
        let repeated = removals.filter { $0.value.count > 1 }
        var single = EntrySet()
        for (device, entries) in removals where repeated[device] == nil { single.formUnion(entries) }
        let founding = Generation(entry: .zero, nonce: [], renewal: nil, exposureCount: removed.count)
        let made = ordered.compactMap { index -> Generation? in
            guard let renewal = nodes[index].fleetKey else { return nil }
            let addressed = Set(renewal.envelopes.map(\.device))
            let past = nodes[index].ancestors
            let known = past.intersection(single).count + repeated.values.count { past.intersects($0) }
            let told = addressed.count { device in removals[device].map { past.intersects($0) } ?? false }
            let exposed = removed.count - known + told
            return Generation(
                entry: nodes[index].hash,
                nonce: nodes[index].entry.nonce,
                renewal: renewal,
                exposureCount: exposed
            )
        }
        // Those with equal counts stay in the order of the log.
        generations = ([founding] + made).enumerated()
            .sorted { ($0.element.exposureCount, $0.offset) < ($1.element.exposureCount, $1.offset) }.map(\.element)
    }
}
