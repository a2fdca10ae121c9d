import Identity
import KairanInterface
import Records
import Sync
import Synchronization
import Wire

/// Answers requests about assets.
struct AssetRequests: AssetAPI {
    /// The longest time that a request waits for content, in milliseconds.
    static let waitMillisecondsMax: UInt64 = 300_000

    let store: CallerStore
    let sync: SyncService
    let service: AssetService

    // MARK: Lists

    func assets(zone reference: String, after cursor: String?, limit: Int) async throws(NodeError) -> AssetViewPage {
        try ArgumentRule.check(limit: limit, of: 1_000)
        let (found, next) = try await store.read { transaction in
            let zone = try store.zones.row(of: reference, in: transaction).id
            let start = try cursor.map { try AssetCursor.reference($0, zone: zone) }
            return try page(of: zone, after: start, limit: limit, in: transaction)
        }
        return AssetViewPage(assets: await views(of: found), cursor: next.map(AssetCursor.text))
    }

    /// Reads a page: it ends early when its records are large, and behind the asset with which it is full.
    private func page(
        of zone: ZoneID,
        after start: AssetReference?,
        limit: Int,
        in transaction: any NodeTransaction
    ) throws -> (found: [StoredAsset], next: AssetReference?) {
        let references = try transaction.assetReferences(zone: zone, after: start, limit: limit + 1)
        var found: [StoredAsset] = []
        var budget = AnswerBudget()
        var record: (tag: RecordTag, name: String, places: [PayloadID: [AssetPosition]])?
        var last: AssetReference?
        for reference in references.prefix(limit) {
            if record?.tag != reference.tag {
                record = nil
                if let row = try transaction.record(zone: zone, tag: reference.tag) {
                    guard budget.takes(row.body.count) || last == nil else { break }
                    let body = try row.content()
                    record = (reference.tag, body.name, body.shownPlaces)
                }
            }
            last = reference
            guard let naming = record else { continue }
            for place in naming.places[reference.payload] ?? [] {
                let asset = StoredAsset(
                    zone: zone,
                    record: naming.name,
                    field: place.field,
                    item: place.item,
                    descriptor: place.asset,
                    state: try state(of: place.asset, in: transaction),
                    copies: try copies(of: place.asset, in: transaction),
                    relays: try relays(of: place.asset, in: transaction),
                    links: try links(of: place.asset, in: transaction)
                )
                found.append(asset)
            }
            if found.count >= limit { break }
        }
        return (found, last == references.last ? nil : last)
    }

    // MARK: One

    func asset(_ place: AssetPlace) async throws(NodeError) -> AssetView {
        let found = try await store.readBriefly { transaction in
            var found = try self.found(place, in: transaction)
            found.copies = try copies(of: found.descriptor, in: transaction)
            return found
        }
        return await view(of: found)
    }

    /// Finds the asset that a place shows.
    private func found(_ place: AssetPlace, in transaction: any NodeTransaction) throws -> StoredAsset {
        let zone = try store.zones.row(of: place.zone, in: transaction).id
        let body = try RecordRow.shown(place.record, zone: zone, in: transaction).content()
        let asset = try Self.asset(at: place, in: body)
        return StoredAsset(
            zone: zone,
            record: body.name,
            field: place.field,
            item: place.item,
            descriptor: asset,
            state: try state(of: asset, in: transaction),
            relays: try relays(of: asset, in: transaction),
            links: try links(of: asset, in: transaction)
        )
    }

    /// The linked files of an asset's content; `nil` where it is not in such files alone.
    private func links(of asset: AssetDescriptor, in transaction: any NodeTransaction) throws -> [String]? {
        guard try transaction.payload(asset.payload)?.state == .linked else { return nil }
        // A path of this machine is none of a scoped caller's.
        guard store.scope.isEverything else { return [] }
        return try transaction.assetLinks(of: asset.payload).filter { $0.state == .sound }.map(\.place.text)
    }

    /// The names of the relays that have promised to keep an asset's content.
    private func relays(of asset: AssetDescriptor, in transaction: any NodeTransaction) throws -> [String] {
        let committer = store.committer
        return try Custody(committer).promises(about: asset.payload, in: transaction).map { promise in
            committer.account.devices[promise.relay]?.name ?? promise.relay.shortText
        }
    }

    private func state(of asset: AssetDescriptor, in transaction: any NodeTransaction) throws -> AssetState {
        try Assets(store.committer).state(of: asset, in: transaction)
    }

    private func copies(of asset: AssetDescriptor, in transaction: any NodeTransaction) throws -> ContentCopies {
        try Holders(store.committer).copies(of: asset.payload, in: transaction)
    }

    private func view(of found: StoredAsset) async -> AssetView { found.view(await prospects(of: [found])) }

    private func views(of found: [StoredAsset]) async -> [AssetView] {
        let prospects = await prospects(of: found)
        return found.map { $0.view(prospects) }
    }

    private func prospects(of found: [StoredAsset]) async -> [PayloadID: PayloadProspect] {
        let wanted = Set(found.filter(\.state.awaitsSessions).map(\.payload))
        return wanted.isEmpty ? [:] : await sync.prospects(of: wanted)
    }

    // MARK: Content

    /// A part of an asset's content, as far as the store has it.
    private enum Reading: Sendable {
        case here(ContentPart)
        case absent(Absence)
    }

    /// A part that the store does not have.
    private struct Absence: Sendable {
        let asset: StoredAsset
        /// The position of the chunk with the part.
        let chunk: UInt64
        /// The payload's number, where all of it is said to be here, or where the chunk was lost and is back.
        var damaged: UInt64?

        /// Why the part has not come, once it was requested.
        func state(_ prospect: PayloadProspect?) -> AssetState {
            switch prospect {
            case .unresolved?: .unresolved
            case .missing?: .missing
            case .coming?, nil: asset.isFetchable ? .queued : asset.state
            }
        }
    }

    func content(
        _ place: AssetPlace,
        from offset: UInt64,
        waitMilliseconds: UInt64
    ) async throws(NodeError) -> ContentPart {
        guard waitMilliseconds <= Self.waitMillisecondsMax else {
            throw NodeError(
                .invalidArgument,
                "A request waits for at most \(Self.waitMillisecondsMax) milliseconds.",
                fix: "Ask again when it is over.",
                facts: [.field("wait_ms"), .limit(Int(Self.waitMillisecondsMax))]
            )
        }
        let clock = store.commitService.clock
        var patience = AssetPatience(milliseconds: waitMilliseconds, since: clock.monotonic())
        var reading = try await read(place, from: offset)
        var hasAsked = false
        while case .absent(let absence) = reading {
            // Nothing that comes opens by what the record says of it.
            guard absence.asset.state != .missing else { throw .assetUnavailable(.missing) }
            if let number = absence.damaged { try await recheck(number, at: absence.chunk) }
            if !hasAsked { try await request(absence, from: offset) }
            hasAsked = true
            let payload = absence.asset.payload
            let prospect = await sync.prospects(of: [payload])[payload]
            guard let pause = patience.pause(prospect, at: clock.monotonic()), !Task.isCancelled else {
                throw .assetUnavailable(try await state(of: absence, prospect, at: place))
            }
            reading = try await wait(absence, for: pause, then: place, from: offset)
        }
        guard case .here(let part) = reading else { throw .assetUnavailable(.queued) }
        noteRead(part, from: offset)
        return part
    }

    /// Notes that a reader may go on behind a part; the validator of the part is the id of its content.
    private func noteRead(_ part: ContentPart, from offset: UInt64) {
        guard offset + UInt64(part.bytes.count) < part.byteCount,
            let payload = part.validator.flatMap({ PayloadID(text: $0) })
        else { return }
        service.noteRead(payload)
    }

    /// Why a part has not come, for an error.
    private func state(
        of absence: Absence,
        _ prospect: PayloadProspect?,
        at place: AssetPlace
    ) async throws(NodeError) -> AssetState {
        let state = absence.state(prospect)
        guard state == .queued, !absence.asset.isFetchable else { return state }
        return try await store.read { try self.found(place, in: $0).state }
    }

    /// Waits for a change of the content, and reads again.
    private func wait(
        _ absence: Absence,
        for milliseconds: UInt64,
        then place: AssetPlace,
        from offset: UInt64
    ) async throws(NodeError) -> Reading {
        do {
            var reading = Reading.absent(absence)
            try await service.waitForChange(of: absence.asset.payload, milliseconds: milliseconds) {
                reading = try await read(place, from: offset)
                if case .here = reading { return true }
                return false
            }
            if case .here = reading { return reading }
        } catch {
            throw (error as? NodeError) ?? store.told(error)
        }
        return try await read(place, from: offset)
    }

    /// Finds the asset that a place shows, for one of many parts of its content: with the state, and not with the progress, for which all
    /// missing chunks would be counted.
    private func foundToRead(_ place: AssetPlace, in transaction: any NodeTransaction) throws -> StoredAsset {
        let zone = try store.zones.row(of: place.zone, in: transaction).id
        let row = try RecordRow.shown(place.record, zone: zone, in: transaction)
        let known: AssetMemo.Known
        if let remembered = service.memo.withLock({ $0.asset(at: place, in: zone, of: row.body) }) {
            known = remembered
        } else {
            let body = try row.content()
            known = AssetMemo.Known(record: body.name, descriptor: try Self.asset(at: place, in: body))
            service.memo.withLock { $0.note(known, at: place, in: zone, of: row.body) }
        }
        return StoredAsset(
            zone: zone,
            record: known.record,
            field: place.field,
            item: place.item,
            descriptor: known.descriptor,
            state: try Assets(store.committer).state(of: known.descriptor, withProgress: false, in: transaction),
            // A reader does not ask for them.
            relays: []
        )
    }

    /// The asset that a record shows at a place.
    private static func asset(at place: AssetPlace, in body: RecordBody) throws(NodeError) -> AssetDescriptor {
        let value = body.shownFields.first { $0.name.isBytewiseEqual(to: place.field) }?.value
        guard let asset = value?.placedAssets.first(where: { $0.item == place.item })?.asset else {
            throw .assetUnknown(at: place)
        }
        return asset
    }

    private func read(_ place: AssetPlace, from offset: UInt64) async throws(NodeError) -> Reading {
        try await store.read { transaction in
            let found = try foundToRead(place, in: transaction)
            var part = ContentPart(
                bytes: [],
                byteCount: found.descriptor.size,
                contentType: found.descriptor.mediaType,
                fileName: found.descriptor.fileName,
                validator: found.payload.text
            )
            guard offset < found.descriptor.size else { return .here(part) }
            guard let row = try transaction.payload(found.payload) else {
                return .absent(Absence(asset: found, chunk: 0))
            }
            // A record that states something else about the content than it is held by does not show it.
            let isReadable = found.state != .missing
            let bytes =
                try isReadable
                ? Payloads(store.committer).bytes(
                    of: row,
                    byteCount: found.descriptor.size,
                    from: offset,
                    in: transaction
                ) : nil
            if let bytes, !bytes.isEmpty {
                part.bytes = bytes
                return .here(part)
            }
            let chunk = offset / UInt64(row.chunkByteCount)
            let isWrong = try row.isComplete || Payloads(store.committer).isBack(row, at: chunk, in: transaction)
            return .absent(Absence(asset: found, chunk: chunk, damaged: isWrong ? row.number : nil))
        }
    }

    /// Has a chunk that cannot be read fetched again, if it is not as it was.
    private func recheck(_ number: UInt64, at position: UInt64) async throws(NodeError) {
        try await keep { transaction in
            try Payloads(store.committer).recheck(number: number, position: position, in: &transaction)
        }
    }

    /// Requests content for a reader, which waits for it from a place on.
    private func request(_ absence: Absence, from offset: UInt64) async throws(NodeError) {
        let found = absence.asset
        if found.isFetchable { try await want(found.payload, zone: found.zone) }
        service.urge(found.payload, from: offset)
    }

    // MARK: Changes

    func fetch(_ place: AssetPlace) async throws(NodeError) -> AssetView {
        let found = try await store.read { try self.found(place, in: $0) }
        if found.state != .present { try await want(found.payload, zone: found.zone) }
        return try await asset(place)
    }

    /// Makes content wanted that is not here.
    private func want(_ payload: PayloadID, zone: ZoneID) async throws(NodeError) {
        try await keep { transaction in
            let policy = try transaction.assetPolicy(zone: zone) ?? Assets.policyDefault
            guard policy != .never else { throw NodeError.assetNotWanted }
            return try Assets(store.committer).fetch(payload, zone: zone, in: &transaction)
        }
    }

    func cancelFetch(_ place: AssetPlace) async throws(NodeError) -> AssetView {
        let found = try await store.read { try self.found(place, in: $0) }
        if found.state.awaitsSessions {
            try await keep { try Assets(store.committer).cancel(found.payload, in: &$0) }
        }
        return try await asset(place)
    }

    func evict(_ place: AssetPlace, copies: Int, countsOthers: Bool) async throws(NodeError) -> AssetEvictionView {
        guard (1...AssetEvictions.copiesMax).contains(copies) else {
            throw NodeError(
                .invalidArgument,
                "An eviction takes 1 to \(AssetEvictions.copiesMax) promises.",
                fix: "Ask for fewer.",
                facts: [.field("copies"), .limit(AssetEvictions.copiesMax)]
            )
        }
        let found = try await store.read { try self.found(place, in: $0) }
        let evictions = AssetEvictions(store: store, sync: sync, service: service)
        return try await evictions.evict(found, copies: copies, countsOthers: countsOthers)
    }

    /// Makes a change that is this device's own, and announces it.
    private func keep(_ body: @escaping StorageJob<CommitNotice>) async throws(NodeError) {
        _ = try await store.keep(body) { [commitService = store.commitService] in commitService.announce($0) }
    }

    // MARK: Policies

    func policy(zone reference: String) async throws(NodeError) -> AssetPolicyView {
        try await store.readBriefly { transaction in
            let zone = try store.zones.row(of: reference, in: transaction).id
            return try AssetPolicyView(of: zone, in: transaction)
        }
    }

    func setPolicy(_ policy: AssetPolicyChoice?, zone reference: String) async throws(NodeError) -> AssetPolicyView {
        let wanted = policy.map { AssetPolicy($0) }
        try await keep { transaction in
            let zone = try store.zones.row(of: reference, in: transaction).id
            return try Assets(store.committer).setPolicy(wanted, zone: zone, in: &transaction)
        }
        return try await self.policy(zone: reference)
    }

    func setKeptAtRelays(_ isKept: Bool, zone reference: String) async throws(NodeError) -> AssetPolicyView {
        try await keep { transaction in
            let zone = try store.zones.row(of: reference, in: transaction).id
            return try Assets(store.committer).setKeptAtRelays(isKept, zone: zone, in: &transaction)
        }
        return try await policy(zone: reference)
    }

    // MARK: Upkeep

    func explain(_ asset: String, asksHolders: Bool) async throws(NodeError) -> AssetExplanationView {
        guard let payload = PayloadID(text: asset) else { throw .assetUnknown(asset) }
        let found = try await store.read { try AssetExplanationReading(store, payload, in: $0) }
        var explanation = found.explanation(await sync.prospects(of: [payload])[payload])
        if explanation.state == .present {
            let full = await sync.fullRelays(for: explanation.byteCount)
            explanation.reasons += full.sorted().map { relay in
                let name = store.committer.account.devices[relay]?.name ?? relay.shortText
                return "The relay \(name) has answered in the last ten minutes that it has no room for it."
            }
        }
        if asksHolders {
            let answers = await sync.holders(of: payload, in: found.zoneIDs)
            explanation.holders = answers.map(AssetHolderView.init)
        }
        return explanation
    }

    func collect(dryRun: Bool) async throws(NodeError) -> AssetCollectionView {
        try await AssetCollecting(store: store, service: service).collect(dryRun: dryRun)
    }
}

extension AssetPolicyView {
    /// The policy in force in a zone.
    init(of zone: ZoneID, in transaction: any NodeTransaction) throws {
        let own = try transaction.assetPolicy(zone: zone)
        self.init(
            policy: AssetPolicyChoice(own ?? Assets.policyDefault),
            isDefault: own == nil,
            isKeptAtRelays: try transaction.keepsAssetsAtRelays(zone: zone)
        )
    }
}

extension AssetPolicyChoice {
    init(_ policy: AssetPolicy) {
        self =
            switch policy {
            case .never: .never
            case .onDemand: .onDemand
            case .upTo(let byteCount): .upTo(byteCount)
            case .always: .always
            }
    }
}

extension AssetPolicy {
    init(_ choice: AssetPolicyChoice) {
        self =
            switch choice {
            case .never: .never
            case .onDemand: .onDemand
            case .upTo(let byteCount): .upTo(byteCount)
            case .always: .always
            }
    }
}
