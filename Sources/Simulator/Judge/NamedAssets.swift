import Records
import Sync
import Wire

/// The contents that the visible records of a store name, by a walk over their fields that shares no code with the core.
struct NamedAssets {
    /// An asset, and the zone of the record that has it.
    struct Place {
        let zone: ZoneID
        let asset: AssetDescriptor
    }

    private(set) var places: [PayloadID: [Place]] = [:]

    /// Reads the records of all zones that are neither deleted nor left.
    init(in store: MemoryStore) throws {
        for zone in try store.zones() where zone.state == .live {
            for row in store.allRecords(zone: zone.id) where !row.isDeleted {
                for value in try row.content().fields.flatMap({ $0.entries.map(\.value) }) { collect(value, zone.id) }
            }
        }
    }

    private mutating func collect(_ value: FieldValue, _ zone: ZoneID) {
        switch value {
        case .asset(let asset): places[asset.payload, default: []].append(Place(zone: zone, asset: asset))
        case .list(let items): for item in items { collect(item, zone) }
        case .set(let state): for entry in state.entries { collect(entry.element, zone) }
        default: break
        }
    }
}
