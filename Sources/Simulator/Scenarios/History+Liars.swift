import Identity
import Records
import Sync
import Wire

// A liar, in addition to the faults of other kinds.
extension History {
    /// The share of the histories of `everything` that have a liar.
    private static let liarChance = 0.15
    /// The share of the others that have a liar of the later kind, which delivers false keys.
    private static let falseKeysChance = 0.04

    /// Lets a member lie while faults of all other kinds happen.
    ///
    /// It has a source of randomness of its own, so that a history without a liar stays as it was before liars
    /// existed.
    func inviteLiar() {
        var draw = SeededGenerator(seed: simulation.seed ^ 0x4C49_4152)
        guard nodes.count > 2, !RememberedSeed.isWithoutLiar(simulation.seed, in: "everything") else { return }
        let isOneOfTheFirst = draw.chance(Self.liarChance)
        guard isOneOfTheFirst || draw.chance(Self.falseKeysChance),
            let liar = isOneOfTheFirst ? draw.element(of: Liar.allCases.filter { $0 != .falseKeys }) : .falseKeys
        else { return }
        // Never the first member: one must be honest, and one liar is enough.
        let index = faults.byzantineNode ?? 1 + draw.index(below: nodes.count - 1)
        faults.byzantineNode = index
        judge.evidence.byzantine.insert(nodes[index].device)
        // The lies spread, and are acted on, while faults happen.
        let begin = simulation.now + draw.number(1...options.faultDuration / 2)
        let end = begin + draw.number(10_000...max(options.faultDuration / 3, 10_001))
        let seed = draw.next()
        simulation.schedule(at: begin) { [self] in try lie(liar, on: nodes[index], seed: seed) }
        simulation.schedule(at: end) { [self] in try answer(liar, on: nodes[index]) }
    }

    private func lie(_ liar: Liar, on node: SimulatedNode, seed: UInt64) throws {
        guard node.isRunning, let store = node.store else { return }
        var draw = SeededGenerator(seed: seed)
        let zones = try store.zones().filter { $0.state == .live && !$0.isInternal }
        guard let zone = draw.element(of: zones) else { return }
        switch liar {
        case .futurePositions: try stateFuture(in: zone, by: node, &draw)
        case .manyLives:
            for number in 0..<(10 + draw.index(below: 30)) {
                let time = simulation.now + UInt64(number) * 200
                simulation.schedule(at: time, for: node) { [self] in
                    $0.beginLife(writing: workload.makeMark(), in: zone.id)
                }
            }
        case .controlFlood:
            for _ in 0..<(20 + draw.index(below: 40)) {
                node.lie(.unknown(tag: 200 + draw.number(0...3), bytes: draw.bytes(8)), in: zone.id)
            }
        case .lyingClock:
            node.setWallOffset((draw.chance(0.7) ? 30 : -30) * Self.yearMilliseconds)
            node.rotateKey(of: zone.id)
            for _ in 0..<3 { try workload.write(on: node) }
        case .falseKeys: giveFalseKeys(of: zone.id, by: node, &draw)
        case .accountFlood:
            do {
                try floodAccount(by: node, helperCount: 1)
            } catch is StorageError {
                // Its own disk is full or broken: it goes no further.
            }
        }
    }

    /// Begins a key of a zone, and seals something else to about half of its readers; the other devices continue
    /// under that key.
    func giveFalseKeys(of zone: ZoneID, by liar: SimulatedNode, _ draw: inout SeededGenerator) {
        var deceived: Set<[UInt8]> = []
        for node in nodes where node.device != liar.device && draw.chance(0.5) {
            guard
                let seed = try? StandInEnvelopes().encapsulationKey(
                    seed: node.disk.keys.device.keys.encapsulationSeed()
                )
            else { continue }
            deceived.insert(seed)
        }
        liar.deceived = deceived
        liar.rotateKey(of: zone)
    }

    /// Corrects the liar's clock, or has an honest device remove the liar.
    private func answer(_ liar: Liar, on node: SimulatedNode) throws {
        switch liar {
        case .manyLives, .controlFlood, .falseKeys: return
        case .lyingClock: return node.setWallOffset(0)
        case .futurePositions, .accountFlood: break
        }
        // Where a whole disk is restored, a removal may be lost with it.
        guard !options.allows(.restoreWhole), !options.allows(.clone),
            let honest = devices(of: node.accountID).first(where: {
                $0.isRunning && !judge.evidence.byzantine.contains($0.device)
            })
        else { return }
        do {
            try honest.remove(node.device)
            judge.endings.end("its device was removed", devices: [node.device])
        } catch is StorageError {
            // The account log could not be written: no device was removed.
        } catch is NodeRefusal {
            // Another device has removed it.
        } catch is AccountError {
            // No device would be left, or the honest one has been removed itself.
        }
    }
}

extension SimulatedNode {
    /// Begins a key of a zone.
    func rotateKey(of zone: ZoneID) {
        decide("rotate") { committer, _, transaction in
            try EpochKeys(committer).rotate(zone, in: &transaction).notice
        }
    }
}
