import Capabilities
import Identity
import Records
import Sodium
import Sync
import Wire

// Misdeeds of an account that participates in zones of others.
extension ByzantineMember {
    /// Returns the messages about a zone that a misdeed sends.
    func messages(about zone: ZoneRow, _ misdeed: Misdeed) throws -> [PeerMessage] {
        switch misdeed {
        case .unlawfulGrant: return try unlawful(in: zone).map { [.run($0)] } ?? []
        case .aboveCut:
            return try store.logs(zone: zone.id).compactMap { row in
                guard row.key.lane == .data, row.size > 0 else { return nil }
                return try whole(row).map { .run($0) }
            }
        case .tellsZone:
            let terms = ZoneTerms(genesis: zone.genesis, tagKey: zone.tagKey)
            return [.zoneTerms(terms), .zoneState(try falseState(of: zone, isEmpty: false))]
        case .asksForZone:
            let strange = ZoneGenesis(
                owner: process.simulation.accounts[0].id,
                container: "org.example.notes",
                name: "zone \(1 + random.index(below: 3))",
                salt: [UInt8](repeating: UInt8(1 + random.index(below: 3)), count: ZoneGenesis.saltByteCount),
                history: .full,
                isDefault: false
            )
            let state = Wire.ZoneState(
                zone: ZoneID(strange),
                genesis: strange,
                logs: [],
                checkpoint: .zero,
                wantsReply: true
            )
            return [.zoneState(state)]
        default:
            return [.zoneTerms(ZoneTerms(genesis: zone.genesis, tagKey: random.bytes(zone.tagKey.count)))]
        }
    }

    /// The whole log as its store has it, whether effective or not.
    private func whole(_ row: LogRow) throws -> Run? {
        guard let head = try store.head(row.key, atOrBelow: row.size) else { return nil }
        let items = try store.items(row.key, from: 0, to: head.size).map { item -> LogItem in
            switch item.content {
            case .operation(let stored): .operation(stored.operation)
            case .gap(let gap): .gap(gap)
            }
        }
        return Run(signedHead: head.signed, from: 0, checkpoint: .zero, items: items)
    }

    /// A run of its control log in which it gives itself all rights, as if the zone were its own.
    private func unlawful(in zone: ZoneRow) throws -> Run? {
        let actor = ActorID(device: process.device, incarnation: process.incarnation, right: zone.right)
        let key = LogKey(zone: zone.id, actor: actor, lane: .control)
        var frontier = try store.log(key)?.frontier ?? TreeFrontier()
        let from = frontier.size
        let terms = Capability.Terms(audience: process.log.account, rights: Rights(.admin, canDelegate: true))
        let token = try Capability.issue(
            terms,
            resource: .zone(zone.id),
            owner: random.chance(0.5) ? zone.genesis.owner : process.log.account,
            signer: process.device,
            using: &random,
            sign: process.keys.sign
        )
        let others = try store.logs(zone: zone.id).map(\.right).filter { !$0.isZero && $0 != zone.right }
        let body: ControlBody =
            if zone.genesis.partner != nil, random.chance(0.6) {
                .zoneDeletion(reason: "mine alone")
            } else if let other = random.element(of: others), random.chance(0.5) {
                .revoke(Revocation(capabilities: [other], cuts: [], regrants: [], reason: "a lie"))
            } else {
                .grant(Grant(token))
            }
        let bytes = body.encoded
        let dot = Dot(actor: actor, counter: from + 1)
        let header = OperationHeader(
            counter: from + 1,
            tag: .zero,
            vector: VersionVector(covering: [dot]),
            creation: dot,
            controlHeads: .zero,
            epoch: .zero,
            time: HybridTime(milliseconds: process.node.wallMilliseconds),
            batch: BatchPlace(index: 0, count: 1),
            bodyHash: Operation.bodyHash(bytes)
        )
        let operation = Operation(header: header, body: bytes)
        frontier.append(operation.header.leafHash)
        let head = TreeHead(
            zone: zone.id,
            device: process.device,
            incarnation: process.incarnation,
            lane: .control,
            size: frontier.size,
            root: frontier.root,
            right: zone.right,
            seen: VersionVector()
        )
        let signed = SignedTreeHead(head, signature: process.keys.sign(head.encoded, context: .treeHead))
        return Run(signedHead: signed, from: from, checkpoint: .zero, items: [.operation(operation)])
    }
}
