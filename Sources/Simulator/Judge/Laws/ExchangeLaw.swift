import Identity
import Records
import Sync
import Wire

/// The laws of the data that travels between accounts.
///
/// Nothing is sent to an account that may not have it or taken from one that may not write it,
/// deposits are held, and invitations admit as many accounts as they are for.
struct ExchangeLaw {
    private let evidence: Evidence
    /// The store of each node before its last commit and between the jobs of that commit, with the time of the
    /// commit.
    private var recent: [Int: (time: UInt64, stores: [MemoryStore])] = [:]

    init(_ evidence: Evidence) { self.evidence = evidence }

    /// Takes note of a node's commit, and checks its invitations if the commit changed them.
    mutating func committed(_ transaction: DecidedTransaction, on node: SimulatedNode) throws {
        recent[node.index] = (node.simulation.now, [transaction.before] + transaction.between)
        let hasBookChanged = transaction.notices.contains { $0.zones.contains(where: \.snapshot.genesis.isInternal) }
        if hasBookChanged { try checkUses(node, transaction.after) }
    }

    /// The states of its store that a node may go by at this moment.
    ///
    /// The core learns of the jobs of a committed group one after the other, as if each had been committed alone.
    private func moments(of node: SimulatedNode, _ store: MemoryStore) -> [MemoryStore] {
        guard let recent = recent[node.index], recent.time == node.simulation.now else { return [store] }
        return [store] + recent.stores
    }

    /// Checks that a message tells an account nothing of a zone that it may not learn.
    ///
    /// An account that is no party and may not read learns nothing; a party that may not read learns no records.
    func told(_ message: PeerMessage, to device: DeviceID, of account: AccountID, by node: SimulatedNode) throws {
        guard !evidence.byzantine.contains(node.device), let content = message.zoneContent, let store = node.store,
            let row = try store.zone(content.zone), let process = node.process
        else { return }
        evidence.checkCount += 1
        var last: RightsModel?
        let isDeposit = if case .run(let run) = message { run.signedHead.head.device == node.device } else { false }
        for moment in moments(of: node, store) {
            let model = try evidence.rights.model(
                in: row,
                store: moment,
                accounts: process.accounts,
                ownDevice: node.device
            )
            last = model
            // This includes guests, where all accounts may read.
            if model.mayRead(device, of: account, now: node.wallMilliseconds) { return }
            guard model.parties.contains(account) else { continue }
            if !content.isData { return }
            // A device may deposit the operations that it wrote after the end of its right with the accounts that
            // decide about them.
            if isDeposit, model.level(of: account) == .admin { return }
        }
        throw Violation(
            .confidentiality,
            at: node,
            "\(message.name) of zone \(content.zone.shortText) goes to \(device.shortText) of \(account.shortText),"
                + " which may not have it at \(node.wallMilliseconds): \(last?.text ?? "")"
        )
    }

    /// Checks that records are taken only from devices with a right to them; from others only deposits of their own.
    func takes(
        _ run: Run,
        isDeposit: Bool,
        from device: DeviceID,
        of account: AccountID,
        on node: SimulatedNode
    ) throws {
        let head = run.signedHead.head
        guard !evidence.byzantine.contains(node.device), head.lane == .data, let store = node.store,
            let row = try store.zone(head.zone), let process = node.process
        else { return }
        evidence.checkCount += 1
        for moment in moments(of: node, store) {
            let model = try evidence.rights.model(
                in: row,
                store: moment,
                accounts: process.accounts,
                ownDevice: node.device
            )
            // A right is required: an account that only reads a public zone may send no records of it.
            if model.hasActive(device, of: account), model.mayRead(account, now: node.wallMilliseconds) { return }
            guard isDeposit, head.device == device, model.parties.contains(account) else { continue }
            if model.level(of: node.accountID) == .admin { return }
        }
        throw Violation(
            .taking,
            at: node,
            "a run of \(head.key) is accepted from \(device.shortText) of \(account.shortText), which may not have it"
        )
    }

    /// Checks that an acknowledged deposit is held by the device that decides about it.
    func deposited(_ run: Run, on node: SimulatedNode) throws {
        let head = run.signedHead.head
        guard !evidence.byzantine.contains(node.device), !evidence.byzantine.contains(head.device),
            let store = node.store, let zone = try store.zone(head.zone), zone.state == .live
        else { return }
        evidence.checkCount += 1
        switch zone.role {
        case .owner: break
        case .participant(let scope) where scope.level == .admin: break
        default: return
        }
        let row = try store.log(head.key)
        if row?.isForked == true || evidence.library.forked.contains(head.key) { return }
        // A run that does not continue the held part was sent before its author learned that it has to make a
        // deposit.
        guard row?.size ?? 0 < head.size, run.from <= row?.size ?? 0 else { return }
        // The author pruned, as one part, operations below and above the place where its log ends here, and no run
        // can begin inside of that part (docs/testing/open.md).
        let end = row?.cut?.size ?? 0
        let isInsideGap = run.items.contains { item in
            guard case .gap(let gap) = item else { return false }
            return gap.firstLeaf < end && end < gap.endLeaf
        }
        if isInsideGap { return }
        throw Violation(
            .deposits,
            at: node,
            "\(head.key) up to \(head.size) was deposited and acknowledged, and \(row?.size ?? 0) are held"
        )
    }

    /// Checks that an invitation lets in no more accounts than it is for.
    private func checkUses(_ node: SimulatedNode, _ store: MemoryStore) throws {
        guard let process = node.process, !evidence.disturbedDevices.contains(node.device) else { return }
        evidence.checkCount += 1
        for status in try Invitations(process.committer()).all(in: store)
        where !evidence.disturbedDevices.contains(status.invite.maker) {
            guard status.taken > Int(status.invite.terms.uses) else { continue }
            throw Violation(
                .uses,
                at: node,
                "invitation \(status.invite.text) is for \(status.invite.terms.uses) and admitted \(status.taken)"
            )
        }
    }
}

extension PeerMessage {
    /// The zone that a message tells something of, and whether that is about its records; `nil` if
    /// there is none.
    fileprivate var zoneContent: (zone: ZoneID, isData: Bool)? {
        switch self {
        case .run(let run): (run.signedHead.head.zone, run.signedHead.head.lane == .data)
        case .zoneState(let state): (state.zone, state.logs.contains { $0.lane == .data })
        case .acknowledge(let acknowledgement): (acknowledgement.zone, false)
        case .forkProof(let proof): (proof.first.head.zone, false)
        case .zoneTerms(let terms): (ZoneID(terms.genesis), true)
        case .liveSetRequest(let request): (request.zone, true)
        case .liveSetPage(let page): (page.zone, true)
        case .payloadRequest(let request): (request.zone, true)
        case .payloadOutline(let outline): (outline.zone, true)
        case .payloadChunk(let chunk): (chunk.zone, true)
        case .custodyRequest(let request): (request.zone, true)
        case .retentionRequest(let request): (request.zone, true)
        // That nothing is here tells nothing.
        case .retentionAnswer(let answer) where answer.statuses.contains { $0.word != .absent }: (answer.zone, true)
        default: nil
        }
    }

    /// A word for people.
    fileprivate var name: String {
        switch self {
        case .run(let run): "a run of the lane \(run.signedHead.head.lane)"
        case .zoneState: "the state"
        case .acknowledge: "an acknowledgement"
        case .forkProof: "a fork proof"
        case .zoneTerms: "the terms"
        case .liveSetRequest: "a request for a live set"
        case .liveSetPage: "a page of a live set"
        case .payloadRequest: "a request for a payload"
        case .payloadOutline: "a payload's outline"
        case .payloadChunk: "a payload's chunk"
        case .custodyRequest: "a payload to be kept"
        case .retentionRequest: "a question about contents"
        case .retentionAnswer: "an answer about contents"
        default: "a message"
        }
    }
}
