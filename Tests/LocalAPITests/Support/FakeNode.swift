import struct KairanInterface.Asset
import struct KairanInterface.Peer
import struct KairanInterface.PendingWork
import LocalAPI
import Node
import Queries
import Synchronization
import Wire

/// A node in memory with one zone, whose answers a test can replace by errors.
final class FakeNode: Sendable {
    struct State: Sendable {
        var records: [String: RecordView] = [:]
        var writeSizes: [Int] = []
        var calls: [String] = []
        var failure: NodeError?
        /// Refusals of single writes by record name.
        var refusals: [String: NodeError] = [:]
        var revision = 0
        var events: AsyncStream<NodeEvent>.Continuation?
        var hasEndedSubscription = false
        var pairingOutcome: PairingOutcome?
        /// Awaited while the node accepts a ticket, if it is set.
        var gate: (@Sendable () async -> Void)?
        var lastResolution: String?
        var failsSecondPage = false
        /// Whether there is another page behind each.
        var hasEndlessRecords = false
        var hasSeenCancellation = false
        /// Whether its warning is known.
        var isAcknowledged = false
        var scopes: [ZoneScope] = []
        /// The messages that wait for an application.
        var inbox: [MessageView] = []
        /// The content of the last upload, as far as it has arrived.
        var handedIn: [UInt8] = []
        /// The size of the newest upload as its program announced it.
        var announced: UInt64?
        /// Called when at least this many bytes of the upload have arrived.
        var whenHandedIn: (@Sendable (_ byteCount: Int) async throws -> Void)?
        /// The content of every message, which is read in parts of at most `contentPartByteCount` bytes.
        var content = ContentPart(bytes: Array("Milk".utf8), byteCount: 4, contentType: "text/plain; charset=utf-8")
        var contentPartByteCount = Int.max
        /// The offset from which a message's content cannot be read, and the error.
        var contentFailure: (offset: UInt64, error: NodeError)?
        /// The progress of a message's payload; `nil` where the content does not travel apart.
        var payload: PayloadProgress?
        /// The state of the asset, and the part of it that is here.
        var assetState = Asset.State.present
        var assetPercent = 100
        /// Called when a part of an asset's content is read, before it is.
        var whenContentRead: (@Sendable (_ state: inout State, _ offset: UInt64) -> Void)?
    }

    let state = Mutex(State())

    static let device = DeviceID(Digest32(Array(repeating: 1, count: 32)) ?? .zero)
    static let other = DeviceID(Digest32(Array(repeating: 2, count: 32)) ?? .zero)
    static let account = AccountID(Digest32(Array(repeating: 3, count: 32)) ?? .zero)
    static let zoneID = ZoneID(Digest32(Array(repeating: 4, count: 32)) ?? .zero)
    static let offer = PairingOfferStatus(
        ticket: "abcd-efgh",
        expiresMilliseconds: 1_800_000_000_000
    )
    static let outcome = PairingOutcome(
        account: account,
        device: other,
        name: "desk",
        words: ["one", "two", "three", "four", "five", "six"]
    )

    /// The calls that it was asked for, in order.
    var calls: [String] { state.withLock { $0.calls } }

    func fail(with error: NodeError?) {
        state.withLock { $0.failure = error }
    }

    func enter(_ call: String) throws(NodeError) {
        let failure = state.withLock { state in
            state.calls.append(call)
            return state.failure
        }
        if let failure { throw failure }
    }

    func checkZone(_ reference: String) throws(NodeError) {
        guard reference == "notes" || reference == Self.zoneID.text else {
            throw NodeError(.zoneUnknown, "There is no zone \(reference).", fix: "List the zones.")
        }
    }

    var zoneStatus: ZoneStatus {
        ZoneStatus(
            zone: Self.zoneID,
            name: "notes",
            container: "org.example",
            database: .private,
            owner: Self.account,
            isOwn: true,
            rights: .admin,
            records: UInt64(state.withLock { $0.records.count }),
            epoch: nil,
            digest: "00ff",
            peers: [ZonePeerStatus(device: Self.other, account: Self.account, inSync: false, behind: 3)]
        )
    }

    func status() async throws(NodeError) -> NodeStatus {
        try enter("status")
        var warning = HealthWarning(code: "disk.low", severity: .warning, message: "Little space.", fix: "Tidy up.")
        warning.isAcknowledged = state.withLock(\.isAcknowledged)
        return NodeStatus(
            version: "1.2.3",
            device: Self.device,
            account: Self.account,
            incarnation: Incarnation(Array(repeating: 5, count: 16)) ?? Incarnation(using: &Self.generator),
            state: .ready,
            peers: 1,
            zones: 1,
            pending: 3,
            listeningPort: 4711,
            health: [warning]
        )
    }

    private static var generator: SystemRandomNumberGenerator {
        get { SystemRandomNumberGenerator() }
        set {}
    }

    static let peer = PeerStatus(
        device: other,
        account: account,
        name: "desk",
        state: .connected,
        address: "192.0.2.7:4711",
        via: .lastKnown,
        roundTripMilliseconds: 1.5,
        skewMilliseconds: -20,
        role: .relayOnly,
        channelVersion: .hybrid,
        pinnedVersion: .hybrid,
        program: ProgramNote(revision: 7, version: "1.2.3")
    )

    func list(pinging: Bool) async throws(NodeError) -> [PeerStatus] {
        try enter(pinging ? "peers pinging" : "peers")
        return [Self.peer]
    }

    func account() async throws(NodeError) -> AccountStatus {
        try enter("account")
        return AccountStatus(
            account: Self.account,
            devices: [
                DeviceStatus(
                    device: Self.device,
                    name: "lap",
                    role: .full,
                    addedMilliseconds: 1_700_000_000_000,
                    lastSeenMilliseconds: nil,
                    isThis: true
                )
            ]
        )
    }

    func replaceRecoveryWords(words: String) async throws(NodeError) -> [String] {
        try enter("replaceRecoveryWords \(words)")
        return (1...24).map { "new\($0)" }
    }

    func removeDevice(_ device: DeviceID, words: String?) async throws(NodeError) {
        try enter("removeDevice \(device.shortText)" + (words.map { " by " + $0 } ?? ""))
    }

    func recoveryPhrase() async throws(NodeError) -> [String] {
        try enter("recoveryPhrase")
        return (1...24).map { "word\($0)" }
    }

    func recoverAccount(words: String, account: String?) async throws(NodeError) -> PairingOutcome {
        try enter("recoverAccount \(words)" + (account.map { " of " + $0 } ?? ""))
        return Self.outcome
    }

    func makeEnrolmentToken(
        uses: Int,
        lifetimeMilliseconds: UInt64,
        role: DeviceRole
    ) async throws(NodeError) -> EnrolmentTokenStatus {
        try enter("makeEnrolmentToken \(uses) \(lifetimeMilliseconds) \(role)")
        return EnrolmentTokenStatus(
            token: "KAIRAN-ENROL:ABCD",
            uses: uses,
            expiresMilliseconds: 1_800_000_000_000,
            role: role
        )
    }

    func withdrawEnrolmentTokens() async throws(NodeError) {
        try enter("withdrawEnrolmentTokens")
    }

    func offerPairing(role: DeviceRole) async throws(NodeError) -> PairingOfferStatus {
        try enter("offerPairing \(role)")
        return Self.offer
    }

    func awaitPairing(ticket: String, waitMilliseconds: Int) async throws(NodeError) -> PairingOutcome? {
        try enter("awaitPairing \(ticket) \(waitMilliseconds)")
        return state.withLock { $0.pairingOutcome }
    }

    func acceptPairing(ticket: String) async throws(NodeError) -> PairingOutcome {
        try enter("acceptPairing \(ticket)")
        if let gate = state.withLock({ $0.gate }) {
            await gate()
            state.withLock { $0.hasSeenCancellation = Task.isCancelled }
        }
        return Self.outcome
    }

    func list(in database: ZoneDatabase?) async throws(NodeError) -> [ZoneStatus] {
        try enter("zones" + (database.map { " \($0)" } ?? ""))
        return [zoneStatus]
    }

    func createZone(name: String, container: String, history: ZoneHistory) async throws(NodeError) -> ZoneStatus {
        try enter("createZone \(name) \(container) \(history)")
        return zoneStatus
    }

    func zone(_ reference: String) async throws(NodeError) -> ZoneStatus {
        try enter("zone \(reference)")
        try checkZone(reference)
        return zoneStatus
    }

    func deleteZone(_ reference: String, reason: String) async throws(NodeError) {
        try enter("deleteZone \(reference)" + (reason.isEmpty ? "" : " since \(reason)"))
        try checkZone(reference)
    }

    static let participant = ParticipantStatus(
        account: AccountID(Digest32(Array(repeating: 6, count: 32)) ?? .zero),
        isThis: false,
        devices: [DeviceName(device: other, name: "her phone")],
        capabilities: [
            CapabilityStatus(
                capability: Hash(Digest32(Array(repeating: 7, count: 32)) ?? .zero),
                level: .append,
                delegationDepth: 1,
                issuer: account,
                sinceMilliseconds: 1_700_000_000_000,
                recordTypes: ["Comment"],
                namePrefix: "c-",
                expiresMilliseconds: nil
            )
        ]
    )

    func write(
        _ writes: [RecordDraft],
        zone: String,
        atomic: Bool
    ) async throws(NodeError) -> [Result<RecordView, NodeError>] {
        try enter("write \(writes.count) atomic:\(atomic)")
        try checkZone(zone)
        state.withLock { $0.writeSizes.append(writes.count) }
        let results = writes.map(apply)
        if atomic, let failed = results.first(where: { if case .failure = $0 { true } else { false } }) {
            _ = try failed.get()
        }
        return results
    }

    private func apply(_ draft: RecordDraft) -> Result<RecordView, NodeError> {
        state.withLock { state in
            if let refusal = state.refusals[draft.name] { return .failure(refusal) }
            let existing = state.records[draft.name]
            if let wanted = draft.ifVersion, wanted != existing?.version ?? "" {
                return .failure(
                    NodeError(
                        .versionMismatch,
                        "The record \(draft.name) has changed.",
                        fix: "Read it again.",
                        facts: [.currentVersion(existing?.version ?? "")]
                    )
                )
            }
            state.revision += 1
            var fields = draft.replacesAll ? [] : (existing?.fields ?? [])
            for (name, value) in draft.fields {
                fields.removeAll { $0.name == name }
                fields.append((name, value))
            }
            fields.removeAll { draft.removed.contains($0.name) }
            fields.sort { $0.name < $1.name }
            let record = RecordView(
                zone: Self.zoneID,
                name: draft.name,
                type: draft.type ?? existing?.type ?? "Record",
                fields: fields,
                version: "v\(state.revision)",
                isDeleted: draft.isDeletion,
                createdBy: Self.device,
                modifiedBy: Self.device,
                modifiedMilliseconds: 1_700_000_000_123,
                conflicts: 0
            )
            state.records[draft.name] = draft.isDeletion ? nil : record
            return .success(record)
        }
    }

    func record(zone: String, name: String) async throws(NodeError) -> RecordView {
        try enter("record \(name)")
        try checkZone(zone)
        guard let record = state.withLock({ $0.records[name] }) else {
            throw NodeError(.recordUnknown, "There is no record \(name).", fix: "List the records.")
        }
        return record
    }

    func fetch(
        _ names: [String],
        zone: String,
        keys: DesiredKeys?
    ) async throws(NodeError) -> [Result<RecordView, NodeError>] {
        try enter("fetch \(names.joined(separator: " "))")
        try checkZone(zone)
        let records = state.withLock { $0.records }
        return names.map { name in
            guard let record = records[name] else {
                return .failure(NodeError(.recordUnknown, "There is no record \(name).", fix: "List the records."))
            }
            return .success(record.showing(only: keys))
        }
    }

    func list(
        zone: String,
        after name: String?,
        limit: Int,
        showsInternal: Bool
    ) async throws(NodeError) -> RecordViewPage {
        try enter("records after:\(name ?? "-") limit:\(limit)" + (showsInternal ? " internal" : ""))
        try checkZone(zone)
        if name != nil, state.withLock({ $0.failsSecondPage }) {
            throw NodeError(.storageFailed, "The disk does not answer.", fix: "Look at the disk.")
        }
        let all = state.withLock { $0.records.values.sorted { $0.name < $1.name } }
        if state.withLock({ $0.hasEndlessRecords }) { return RecordViewPage(records: all, next: "more") }
        let rest = all.filter { record in name.map { record.name > $0 } ?? true }
        return RecordViewPage(
            records: Array(rest.prefix(limit)),
            next: rest.count > limit ? rest[limit - 1].name : nil
        )
    }

    func query(zone: String, _ request: QueryRequest) async throws(NodeError) -> QueryView {
        try enter(
            "query \(zone) \(request.query.type.string) where:\(request.query.predicate?.text(.interface) ?? "-") "
                + "sort:\(request.query.sort.map { ($0.isAscending ? "" : "-") + $0.field.text }) limit:\(request.limit) "
                + "cursor:\(request.cursor ?? "-") title:\(request.desiredKeys?.contains("title") ?? true)"
                + (request.showsInternal ? " internal" : "")
        )
        try checkZone(zone)
        let all = state.withLock { $0.records.values.sorted { $0.name < $1.name } }
        return QueryView(records: all, cursor: request.cursor == "c1" ? nil : "c1")
    }

    func fieldIndexes(container: String) async throws(NodeError) -> [FieldIndexStatus] {
        try enter("fieldIndexes \(container)")
        return [FieldIndexStatus(index: FieldIndex(type: "Note", field: .named("title"), kind: .text), isReady: true)]
    }

    func setFieldIndexes(
        _ indexes: [FieldIndex],
        container: String
    ) async throws(NodeError) -> [FieldIndexStatus] {
        try enter("setFieldIndexes \(container) \(indexes.map { "\($0.type.string).\($0.field.text) \($0.kind)" })")
        return indexes.map { FieldIndexStatus(index: $0, isReady: false) }
    }

    func changes(_ selection: FeedSelection, since token: String?, limit: Int) async throws(NodeError) -> ChangePage {
        try enter("changes \(selection.text) since:\(token ?? "-") limit:\(limit)")
        let all = state.withLock { $0.records.values.sorted { $0.name < $1.name } }
        return ChangePage(
            changes: all.map { ChangeView(record: $0, bySync: true) },
            zones: [ZoneChangeView(status: zoneStatus, departure: nil)],
            token: "t1",
            more: false
        )
    }

    func resolve(
        zone: String,
        name: String,
        with resolution: ConflictResolution
    ) async throws(NodeError) -> RecordView {
        try enter("resolve \(name)")
        state.withLock { $0.lastResolution = "\(resolution)" }
        return try await record(zone: zone, name: name)
    }

    func pending(zone: String?) async throws(NodeError) -> PendingReport {
        try enter("pending \(zone ?? "-")")
        if let zone { try checkZone(zone) }
        let entry = PendingReport.Entry(
            zone: Self.zoneID,
            name: "notes",
            container: "org.example.notes",
            device: Self.other,
            account: Self.account,
            deviceName: "lap",
            state: .away,
            count: 3,
            behind: 5,
            missing: 0,
            oldestMilliseconds: 1_700_000_000_000,
            ageMilliseconds: 1_500,
            reason: .peerAway,
            sinceMilliseconds: nil
        )
        let missing = PendingReport.HeldBack.Missing(actor: ActorID(.zero), device: nil, held: 2, needed: 6)
        let held = PendingReport.HeldBack(zone: Self.zoneID, device: Self.other, count: 1, waitsFor: [missing])
        return PendingReport(entries: [entry], heldBack: [held])
    }

    func list(zone: String?) async throws(NodeError) -> [QuarantineView] {
        try enter("quarantine \(zone ?? "-")")
        return [
            QuarantineView(
                id: "17.log",
                zone: Self.zoneID,
                record: "n1",
                type: "note",
                isDeletion: false,
                author: Self.other,
                reason: .aboveCut,
                writtenAt: 1_700_000_000_000,
                byteCount: 420
            )
        ]
    }

    func adoptQuarantined(_ id: String, zone: String) async throws(NodeError) -> Bool {
        try enter("adopt \(id)")
        try checkZone(zone)
        guard id == "17.log" else { throw Self.notQuarantined }
        return true
    }

    func purgeQuarantined(_ id: String, zone: String) async throws(NodeError) {
        try enter("purge \(id)")
        try checkZone(zone)
        guard id == "17.log" else { throw Self.notQuarantined }
    }

    private static let notQuarantined = NodeError(.quarantineUnknown, "No such write.", fix: "List them.")

    func events(_ selection: FeedSelection, since token: String?) async throws(NodeError) -> NodeEventStream {
        try enter("events \(selection.text) since:\(token ?? "-")")
        let (stream, continuation) = AsyncStream.makeStream(of: NodeEvent.self, bufferingPolicy: .bufferingOldest(256))
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.hasEndedSubscription = true }
        }
        continuation.yield(.snapshot(token: token ?? "t0", zones: [zoneStatus]))
        state.withLock { $0.events = continuation }
        return stream
    }
}

extension FeedSelection {
    /// The requested selection, in one word.
    fileprivate var text: String {
        let filter = query.map { query in
            query.type.string + (query.predicate.map { " where " + $0.text(.interface) } ?? "")
        }
        let parts = [zone, container, database?.rawValue, filter, showsInternal ? "internal" : nil].compactMap { $0 }
        return parts.isEmpty ? "-" : parts.joined(separator: "/")
    }
}
