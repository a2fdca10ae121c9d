import KairanInterface
import Records
import Sync
import Wire

/// The facts of the store by which the state of an asset is explained.
struct AssetExplanationReading: Sendable {
    /// The most places that an explanation names.
    static let placeCountMax = 100
    /// The most references that are looked at: those of other callers' zones are passed over.
    private static let referenceCountMax = 10_000

    /// A zone with a record that names the asset.
    fileprivate struct NamingZone: Sendable {
        let id: ZoneID
        let name: String
        let policy: AssetPolicy
    }

    private let payload: PayloadID
    private let byteCount: UInt64
    private let state: AssetState
    private let places: [AssetPlace]
    private let zones: [NamingZone]
    private let isNamed: Bool
    private let unnamedSince: UInt64?
    /// The time of the upload, where no record has ever named it.
    private let uploadedAt: UInt64?
    private let promisedUntil: UInt64?
    private let copies: ContentCopies
    private let relays: [AssetRelayView]
    private let links: [AssetLinkRow]
    private let isLinked: Bool

    /// The zones of the caller whose records name the asset, as many as devices are asked under.
    var zoneIDs: [ZoneID] { zones.prefix(Evictions.zoneCountMax).map(\.id) }

    /// Reads the facts that a caller may see.
    /// - Throws: `NodeError` `assetUnknown`, or an error of the store.
    init(_ store: CallerStore, _ payload: PayloadID, in transaction: any NodeTransaction) throws {
        self.payload = payload
        let visible = try store.zones.live(in: transaction)
        let ids = Set(visible.map(\.id))
        let references = try transaction.assetReferences(to: payload, limit: Self.referenceCountMax)
            .filter { ids.contains($0.zone) }
        let row = try transaction.payload(payload)
        var byteCount = row?.byteCount
        var places: [AssetPlace] = []
        for reference in references where places.count < Self.placeCountMax {
            guard let record = try transaction.record(zone: reference.zone, tag: reference.tag) else { continue }
            let positions = try record.content().places(of: payload)
            byteCount = positions.first?.asset.size ?? byteCount
            places += positions.prefix(Self.placeCountMax - places.count).map {
                AssetPlace(zone: reference.zone.text, record: record.name, field: $0.field, item: $0.item)
            }
        }
        let isUpload = try row.map { try Self.isUpload($0, in: transaction) } ?? false
        if references.isEmpty {
            // Content of messages, and of zones that the caller does not see, is not here for it.
            guard let row, row.isAsset || isUpload, store.scope.isEverything || ids.contains(row.zone) else {
                throw NodeError.assetUnknown(payload.text)
            }
        }
        self.byteCount = byteCount ?? 0
        self.places = places
        state = try Assets(store.committer).state(of: row, in: transaction)
        let naming = Set(references.map(\.zone))
        zones = try visible.filter { naming.contains($0.id) }.map { zone in
            NamingZone(
                id: zone.id,
                name: zone.genesis.name,
                policy: try transaction.assetPolicy(zone: zone.id) ?? Assets.policyDefault
            )
        }
        isNamed = !references.isEmpty
        unnamedSince = isNamed ? nil : row?.unnamedSince
        uploadedAt = isUpload ? row?.begun : nil
        promisedUntil = try Evictions(store.committer).promise(of: payload, in: transaction)
        copies = try Holders(store.committer).copies(of: payload, in: transaction)
        // A path of this machine is none of a scoped caller's.
        links = store.scope.isEverything ? try transaction.assetLinks(of: payload) : []
        isLinked = row?.state == .linked
        relays = try Custody(store.committer).promises(about: payload, in: transaction)
            .map { AssetRelayView(device: $0.relay, until: $0.until) }
    }

    /// Whether content was uploaded here, and neither a record nor a message has named it.
    private static func isUpload(_ row: PayloadRow, in transaction: any NodeTransaction) throws -> Bool {
        guard !row.isAsset, row.sender == nil, row.keptUntil == nil, row.isComplete, let id = row.id else {
            return false
        }
        return try transaction.messages(with: id).isEmpty
    }

    /// Explains the state.
    /// - Parameter prospect: The prospect of the content, where it is wanted.
    /// - Returns: The explanation for programs.
    func explanation(_ prospect: PayloadProspect?) -> AssetExplanationView {
        let present = state.awaitsSessions ? state.with(prospect) : state
        let (reasons, fix) = sentences(about: present)
        let keptUntil = unnamedSince.map { $0 + Assets.unnamedMilliseconds }
        return AssetExplanationView(
            asset: payload,
            byteCount: byteCount,
            state: present.word,
            percent: state.shownPercent,
            places: places,
            reasons: reasons,
            fix: fix,
            unnamedSince: unnamedSince,
            keptUntil: keptUntil ?? uploadedAt.map { $0 + Payloads.unsentMilliseconds },
            promisedUntil: promisedUntil,
            copies: AssetCopiesView(copies),
            relays: relays
        )
    }

    private func sentences(about present: AssetState) -> (reasons: [String], fix: String) {
        if !isNamed {
            return uploadedAt == nil
                ? (["No record names it any more: it is kept for seven days, and then dropped."], "")
                : (["It was uploaded here, and no record names it yet: it is dropped a day after its upload."], "")
        }
        if state == .missing {
            return (
                ["The bytes that were sent for it do not open by what its record states about them."],
                "Upload the content again, on a device that has it, and write the record anew."
            )
        }
        switch present {
        case .present where isLinked:
            let files = "All of it is here, in files that other programs keep: \(soundFiles)."
            return ([files, "No other device counts on them."], "")
        case .present: return (["All of it is here."], "")
        case .evicted:
            return (["It was here, and its content was dropped on request."], Self.fetch)
        case .queued: return (["It is to be fetched, and nothing of it is here yet."], "")
        case .partial(let percent): return (["It is being fetched, and \(percent) % of it is here."], "")
        case .unresolved:
            return (
                ["It is to be fetched, and no device that may have it is connected."],
                "Let this device meet one that has it; `kairan peers` lists the devices in reach."
            )
        case .missing:
            return (
                ["It is to be fetched, and every connected device that may have it has answered that it lacks it."],
                "Let this device meet another one that has it; the device that made the record had it."
            )
        case .remote:
            let refuses = zones.allSatisfy { $0.policy == .never }
            return (
                zones.map { $0.reason(for: byteCount) },
                refuses ? "Change the policy: `kairan asset policy ZONE on-demand`, or always." : Self.fetch
            )
        }
    }

    /// The sound files, for people.
    private var soundFiles: String {
        let files = links.filter { $0.state == .sound }.map(\.place.text)
        return files.isEmpty ? "of this machine" : files.joined(separator: ", ")
    }

    private static let fetch = "`kairan asset fetch ZONE RECORD FIELD` fetches it, and so does reading it."
}

extension AssetExplanationReading.NamingZone {
    /// The reason for which the zone does not have an asset fetched that is not wanted.
    fileprivate func reason(for byteCount: UInt64) -> String {
        switch policy {
        case .never: "This device fetches no assets of the zone \(name)."
        case .onDemand: "This device fetches assets of the zone \(name) on request only."
        case .upTo(let limit) where byteCount > limit:
            "This device fetches assets of the zone \(name) by itself up to \(limit) bytes, and it has \(byteCount)."
        case .upTo, .always: "This device fetches it for the zone \(name), and has not begun yet."
        }
    }
}
