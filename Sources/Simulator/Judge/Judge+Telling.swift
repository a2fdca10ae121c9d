import Identity
import Records
import Sync
package import Wire

// Checks the messages sent to devices of other accounts.
extension Judge {
    /// Checks that a message tells an account nothing of a zone that it may not learn.
    ///
    /// An account that is no party and may not read learns nothing; a party that may not read learns no records.
    package func told(
        _ message: PeerMessage,
        to device: DeviceID,
        of account: AccountID,
        by node: SimulatedNode,
        in simulation: Simulation
    ) throws {
        if byzantine.contains(node.device) { return }
        let zone: ZoneID
        var isData = false
        switch message {
        case .run(let run):
            zone = run.signedHead.head.zone
            isData = run.signedHead.head.lane == .data
        case .zoneState(let state):
            zone = state.zone
            isData = state.logs.contains { $0.lane == .data }
        case .acknowledge(let acknowledgement):
            zone = acknowledgement.zone
        case .forkProof(let proof):
            zone = proof.first.head.zone
        case .zoneTerms(let terms):
            zone = ZoneID(terms.genesis)
            isData = true
        case .liveSetRequest(let request):
            zone = request.zone
            isData = true
        case .liveSetPage(let page):
            zone = page.zone
            isData = true
        case .payloadRequest(let request):
            zone = request.zone
            isData = true
        case .payloadOutline(let outline):
            zone = outline.zone
            isData = true
        case .payloadChunk(let chunk):
            zone = chunk.zone
            isData = true
        case .custodyRequest(let request):
            zone = request.zone
            isData = true
        default:
            return
        }
        guard let store = node.store, let row = try store.zone(zone), let process = node.process else { return }
        checkCount += 1
        var text = ""
        let moments = self.moments(of: node, store, in: simulation)
        let isDeposit = if case .run(let run) = message { run.signedHead.head.device == node.device } else { false }
        for moment in moments {
            let model = try rights(in: row, store: moment, accounts: process.accounts, ownDevice: node.device)
            text = model.text
            // This includes guests, where all accounts may read.
            if model.mayRead(device, of: account, now: node.wallMilliseconds) { return }
            guard model.parties.contains(account) else { continue }
            if !isData { return }
            // A device may deposit the operations that it wrote after the end of its right with the accounts that
            // decide about them.
            if isDeposit, model.level(of: account) == .admin { return }
        }
        throw Violation(
            .confidentiality,
            time: simulation.now,
            node: node.index,
            "\(message.name) of zone \(zone.shortText) goes to \(device.shortText) of \(account.shortText),"
                + " which may not have it at \(node.wallMilliseconds): \(text)"
        )
    }

    /// Checks that a payload that a relay promises is durable there.
    package func promised(_ answer: CustodyAnswer, by node: SimulatedNode, in simulation: Simulation) throws {
        guard case .stored = answer.outcome else { return }
        checkCount += 1
        guard try node.disk.image().database?.payload(answer.payload)?.standing != .present else { return }
        throw Violation(
            .custody,
            time: simulation.now,
            node: node.index,
            "a relay promises a payload that is not durable there"
        )
    }

    /// The states of its store that a node may go by at this moment.
    ///
    /// The core learns of the jobs of a committed group one after the other, as if each had been committed alone.
    func moments(of node: SimulatedNode, _ store: MemoryStore, in simulation: Simulation) -> [MemoryStore] {
        guard let recent = recent[node.index], recent.time == simulation.now else { return [store] }
        return [store] + recent.stores
    }
}

extension PeerMessage {
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
        default: "a message"
        }
    }
}
