import Capabilities
import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

/// Histories in which two accounts of two devices each use a pair zone in any order, apart and together.
@Suite struct `Histories of pair zones` {
    private struct History {
        var neighbours: Neighbours
        var random: SeededGenerator
        var zone: ZoneID?
        /// The accounts that have the zone.
        var holders: Set<Int> = []
        /// The names of the records that devices have written.
        var written: Set<String> = []
        var hasLeft = false

        init(seed: UInt64) throws {
            neighbours = try Neighbours([2, 2], seed: seed)
            try neighbours.statePairKeys()
            random = SeededGenerator(seed: seed ^ 0x9A12)
        }

        mutating func step(_ number: Int, mayLeave: Bool) throws {
            let device = Int(random.next() % 4)
            switch random.next() % 16 {
            case 0, 1:
                let made = try neighbours.enter(with: device < 2 ? 1 : 0, on: device)
                #expect(zone == nil || zone == made)
                zone = made
                holders.insert(device)
            case 2, 3:
                guard let zone, let source = holders.randomElement(using: &random) else { return }
                let sibling = source ^ 1
                guard !holders.contains(sibling) else { return }
                try neighbours.tell(zone, from: source, to: sibling)
                holders.insert(sibling)
            case 4 where mayLeave:
                guard let zone, holders.contains(device), try isIn(device, zone) else { return }
                try neighbours.change(device) { _ = try ZoneSharing($0).leave(zone, in: &$2) }
                hasLeft = true
            case 4..<10:
                guard let zone, holders.contains(device), try isIn(device, zone) else { return }
                let name = "r\(number)"
                #expect(try neighbours.write(name, "\(device)", on: device, zone: zone) == nil)
                try neighbours.write("same", "\(number)", on: device, zone: zone)
                written.insert(name)
            default:
                let other = Int(random.next() % 4)
                guard let zone, holders.isSuperset(of: [device, other]), device != other else { return }
                try neighbours.pull(zone, from: device, to: other)
            }
        }

        private func isIn(_ device: Int, _ zone: ZoneID) throws -> Bool {
            try neighbours.homes[device].store.zone(zone)?.role == .owner
        }

        /// Lets all devices have the zone, be in it, and exchange everything.
        mutating func end() throws -> ZoneID {
            let zone = try neighbours.enter(with: 1, on: 0)
            #expect(try neighbours.enter(with: 0, on: 2) == zone)
            for index in 0..<4 where try neighbours.homes[index].store.zone(zone) == nil {
                try neighbours.tell(zone, from: index & 2, to: index)
            }
            try neighbours.settle(zone)
            // An account that was out by a leave of another device comes back, too.
            for index in [0, 2] { _ = try neighbours.enter(with: index == 0 ? 1 : 0, on: index) }
            try neighbours.settle(zone)
            return zone
        }
    }

    @Test(arguments: 1...24 as ClosedRange<UInt64>)
    func `end in one zone with all that was written`(seed: UInt64) throws {
        var history = try History(seed: seed)
        for number in 0..<60 { try history.step(number, mayLeave: false) }
        let zone = try history.end()
        for index in 0..<4 {
            for name in history.written.sorted() {
                let text = try history.neighbours.text(name, on: index, zone: zone)
                #expect(text != nil, "seed \(seed): \(name) is lost on \(index)")
            }
        }
        let same = try Set((0..<4).map { try history.neighbours.text("same", on: $0, zone: zone) })
        #expect(same.count == 1, "seed \(seed)")
        #expect(try history.neighbours.digests(zone, of: [0, 1, 2, 3]).count == 1, "seed \(seed)")
    }

    @Test(arguments: 1...24 as ClosedRange<UInt64>)
    func `agree, whichever account leaves and comes back`(seed: UInt64) throws {
        var history = try History(seed: seed)
        for number in 0..<80 { try history.step(number, mayLeave: true) }
        let zone = try history.end()
        #expect(try history.neighbours.digests(zone, of: [0, 1, 2, 3]).count == 1, "seed \(seed)")
        let states = try (0..<4).map { index in
            try history.neighbours.controlState(zone, on: index)
        }
        #expect(Set(states.map(\.owners)).count == 1, "seed \(seed)")
        #expect(states[0].owners.count == 2, "seed \(seed)")
        for index in 0..<4 {
            #expect(try history.neighbours.write("end \(index)", "x", on: index, zone: zone) == nil, "seed \(seed)")
        }
        try history.neighbours.settle(zone)
        for index in 0..<4 {
            #expect(try history.neighbours.text("end 3", on: index, zone: zone) == "x", "seed \(seed)")
        }
    }
}
