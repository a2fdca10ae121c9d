import Records
import Wire

/// The assets of a store in memory: the references of records, and the rules of zones.
struct MemoryAssets: Sendable {
    private var byPayload: [PayloadID: Set<AssetReference>] = [:]
    private var byZone: [ZoneID: Set<AssetReference>] = [:]
    private var unseen: Set<AssetReference> = []
    /// The rules of zones that have one of their own.
    var policies: [ZoneID: AssetPolicy] = [:]
    /// Zones whose contents are not kept at the relays of the account.
    var unrelayed: Set<ZoneID> = []

    /// Takes the references of a record from its former to its new state.
    mutating func replace(_ former: RecordRow?, by record: RecordRow) {
        let former = former?.assets ?? []
        guard former != record.assets else { return }
        let (old, new) = (Set(former), Set(record.assets))
        for payload in old.subtracting(new) {
            let reference = AssetReference(payload: payload, zone: record.zone, tag: record.tag)
            byPayload[payload]?.remove(reference)
            if byPayload[payload]?.isEmpty == true { byPayload[payload] = nil }
            byZone[record.zone]?.remove(reference)
            unseen.remove(reference)
        }
        for payload in new.subtracting(old) {
            let reference = AssetReference(payload: payload, zone: record.zone, tag: record.tag)
            byPayload[payload, default: []].insert(reference)
            byZone[record.zone, default: []].insert(reference)
            unseen.insert(reference)
        }
    }

    /// The zones with a record that names a payload, ascending.
    func zones(of payload: PayloadID) -> [ZoneID] { Set((byPayload[payload] ?? []).map(\.zone)).sorted() }

    /// The records that name a payload, of all zones or of one.
    func references(to payload: PayloadID, in zone: ZoneID? = nil, limit: Int) -> [AssetReference] {
        let all = byPayload[payload] ?? []
        return Array((zone.map { zone in all.filter { $0.zone == zone } } ?? all).sorted().prefix(limit))
    }

    func references(zone: ZoneID, after: AssetReference?, limit: Int) -> [AssetReference] {
        let all = (byZone[zone] ?? []).filter { reference in after.map { $0 < reference } ?? true }
        return Array(all.sorted().prefix(limit))
    }

    func unseen(limit: Int) -> [AssetReference] { Array(unseen.sorted().prefix(limit)) }

    mutating func markSeen(_ reference: AssetReference) { unseen.remove(reference) }

    mutating func markUnseen(zone: ZoneID) { unseen.formUnion(byZone[zone] ?? []) }

    mutating func markUnseen(to payload: PayloadID) { unseen.formUnion(byPayload[payload] ?? []) }
}
