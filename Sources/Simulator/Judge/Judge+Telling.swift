import Identity
import Records
import Sync
package import Wire

// What is told to devices of other accounts.
extension Judge {
    /// Nothing of a zone goes to an account that is no party of it and may not read, and to a party that may not, no records.
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
            // Also guests, where everybody may read.
            if model.mayRead(device, of: account, now: node.wallMilliseconds) { return }
            guard model.parties.contains(account) else { continue }
            if !isData { return }
            // What a device wrote after its right had ended it may hand over to those who decide about it.
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

    /// A relay promises what is durable there.
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

    /// The stores by one of which a node may go at this moment.
    ///
    /// The jobs of a group that was committed are told to the core one after the other, as if each had been committed alone.
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
        case .liveSetRequest: "a question for what lives"
        case .liveSetPage: "what lives"
        case .payloadRequest: "a question for a payload"
        case .payloadOutline: "a payload's outline"
        case .payloadChunk: "a payload's chunk"
        case .custodyRequest: "a payload to be kept"
        default: "a message"
        }
    }
}
