import Records
import Wire

/// The assets of a store in memory: the references of records, and the rules of zones.
struct MemoryAssets: Sendable {
    private var byPayload: [PayloadID: Set<AssetReference>] = [:]
    private var byZone: [ZoneID: Set<AssetReference>] = [:]
    private var unseen: Set<AssetReference> = []
    /// The rules of zones that have one of their own.
    var policies: [ZoneID: AssetPolicy] = [:]

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

    /// Whether a record of a zone, or of any, names a payload.
    func isNamed(_ payload: PayloadID, in zone: ZoneID? = nil) -> Bool {
        guard let references = byPayload[payload] else { return false }
        return zone.map { zone in references.contains { $0.zone == zone } } ?? true
    }

    func references(to payload: PayloadID, limit: Int) -> [AssetReference] {
        Array((byPayload[payload] ?? []).sorted().prefix(limit))
    }

    func references(zone: ZoneID, after: AssetReference?, limit: Int) -> [AssetReference] {
        let all = (byZone[zone] ?? []).filter { reference in after.map { $0 < reference } ?? true }
        return Array(all.sorted().prefix(limit))
    }

    func unseen(limit: Int) -> [AssetReference] { Array(unseen.sorted().prefix(limit)) }

    mutating func markSeen(_ reference: AssetReference) { unseen.remove(reference) }

    mutating func markUnseen(zone: ZoneID) { unseen.formUnion(byZone[zone] ?? []) }
}
