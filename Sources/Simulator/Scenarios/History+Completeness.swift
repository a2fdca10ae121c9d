import Records
import Sync
import Wire

// A device that was away while others deleted and pruned records becomes complete in the end.
extension History {
    /// Requires that no member remains an incomplete replica if a peer could send it the live set.
    /// - Throws: ``Violation``.
    func checkCompleteness() throws {
        guard try incompletion() != nil else { return }
        // An incomplete replica asks one peer after the other when nothing more arrives.
        _ = try simulation.run(within: Self.completionMilliseconds, until: { try self.incompletion() == nil })
        try converge()
        if let (node, _) = try incompletion() { try completeAlone(node) }
        guard let (node, text) = try incompletion() else { return }
        throw Violation(.convergence, time: simulation.now, node: node, text)
    }

    /// How long an incomplete replica may take to ask a peer that can help, in milliseconds: some turns of
    /// comparison, and a second try.
    private static let completionMilliseconds: UInt64 = 900_000

    /// Lets a machine ask while its copies are off.
    ///
    /// Copies of one machine replace each other's sessions, within a second where all is slow, and asking takes
    /// several turns on one session.
    private func completeAlone(_ index: Int) throws {
        guard let device = members.first(where: { $0.index == index })?.device else { return }
        let copies = members.filter { $0.device == device && $0.index != index }
        guard !copies.isEmpty else { return }
        for copy in copies { try copy.stop() }
        _ = try simulation.run(within: Self.completionMilliseconds, until: { try self.incompletion()?.node != index })
        for copy in copies { try copy.start() }
        try converge()
    }

    /// A member that should be complete by now, with a description; `nil` if there is none.
    ///
    /// It is incomplete although another member has adopted a checkpoint under which everything that the first lacks
    /// may be pruned, or it is complete and has not yet withdrawn the records that were pruned.
    ///
    /// No device of another account sends the live set to one that may not read the zone (`docs/protocol/sync.md`, "The
    /// live set of a zone"): if its account left, or its right ended, before it was complete, then it stays incomplete.
    private func incompletion() throws -> (node: Int, text: String)? {
        let members = members
        let readers = try readers(among: members)
        for node in members {
            guard let store = node.store else { continue }
            for zone in try store.zones() where zone.state == .live {
                guard zone.isUnverified else {
                    guard try CheckpointUpkeep.withdrawalPlace(zone.id, in: store) != nil else { continue }
                    return (node.index, "zone \(zone.id.shortText) is complete and still withdraws records")
                }
                let sharing = readers[zone.id] ?? members
                guard sharing.contains(where: { $0.index == node.index }) else { continue }
                for other in sharing where other.index != node.index {
                    guard let row = try other.store?.zone(zone.id), !row.isUnverified, let adopted = row.adopted,
                        try node.lacksNothing(behind: adopted, zone: zone, in: store),
                        try !judge.forgetting.lacksWhatLives(under: adopted, zone: zone.id, in: store)
                    else { continue }
                    return (
                        node.index,
                        "zone \(zone.id.shortText) is incomplete under the checkpoint \(adopted.hash.shortText),"
                            + " which node \(other.index) has adopted"
                    )
                }
            }
        }
        return nil
    }
}

extension SimulatedNode {
    /// Whether a node knows a checkpoint, holds everything that it covers, and lacks nothing behind it.
    fileprivate func lacksNothing(behind checkpoint: Checkpoint, zone: ZoneRow, in store: MemoryStore) throws -> Bool {
        var isKnown = false
        for row in try store.logs(zone: zone.id) {
            let items = try store.items(row.key, from: 0, to: row.size)
            guard row.key.lane == .data else {
                isKnown =
                    isKnown
                    || items.contains { item in
                        guard case .operation(let stored) = item.content,
                            case .checkpoint(let said)? = try? ControlBody(decoding: stored.operation.body)
                        else { return false }
                        return said.hash == checkpoint.hash && item.first < row.appliedSize
                    }
                continue
            }
            let size = checkpoint.size(row.key.actorLane)
            let end = min(row.cut?.size ?? .max, row.hole ?? .max)
            let lacks = items.contains { item in
                guard case .gap(let gap) = item.content else { return false }
                return gap.endLeaf > size && item.first < end
            }
            if lacks { return false }
            guard size > 0 else { continue }
            let root = try StoredLog(row).root(at: size, in: store)
            let wanted = checkpoint.logs.first { $0.lane == .data && $0.actor == row.key.actor }?.root
            guard row.appliedSize >= size, root == wanted else { return false }
        }
        let held = try store.logs(zone: zone.id).filter { $0.key.lane == .data }.map(\.key.actor)
        return isKnown
            && checkpoint.logs.allSatisfy { $0.lane == .control || $0.size == 0 || held.contains($0.actor) }
    }
}
