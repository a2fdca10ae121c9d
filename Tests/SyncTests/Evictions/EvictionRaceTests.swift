import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

/// Devices with whole stores that evict one content, in each other's way.
@Suite struct `Devices that evict a content at the same time` {
    private let program: ProgramNote

    init() throws {
        program = try #require(ProgramNote(version: "0.1.0"))
    }

    private struct Setting {
        var street: Street
        let zone: ZoneID
        let payload: PayloadID
    }

    /// Devices of one account, all connected to each other, that hold a content.
    private func setting(_ count: Int) throws -> Setting {
        var street = try Street([count], program: program)
        let genesis = try street.makeZone(0)
        let zone = ZoneID(genesis)
        for index in 1..<count { try street.join(genesis, of: 0, on: index) }
        for first in 0..<count {
            for second in first + 1..<count { try street.connect(first, second) }
        }
        let payload = try street.add([1, 2, 3], to: "photo", on: 0, zone: zone)
        try street.pass()
        for index in 1..<count {
            try street.look(index)
            try street.fetch(payload, from: 0, on: index, zone: zone)
        }
        let holders = try street.holders(of: payload)
        #expect(holders == Array(0..<count))
        return Setting(street: street, zone: zone, payload: payload)
    }

    @Test func `never drop the last copy, as two of two`() throws {
        var setting = try setting(2)
        let payload = setting.payload
        try setting.street.evict(payload, on: 0)
        try setting.street.evict(payload, on: 1)
        try setting.street.pass()
        #expect(try setting.street.holders(of: payload) == [0, 1], "each finds the other one evicting")
        for index in 0..<2 {
            guard case .notSafe(let answers)? = setting.street.homes[index].evictions[1] else {
                Issue.record("device \(index): \(String(describing: setting.street.homes[index].evictions[1]))")
                continue
            }
            #expect(answers.map(\.word) == [.evicting])
            #expect(try setting.street.homes[index].store.evictions(limit: 9).isEmpty)
        }
        // One after the other, the second one has promised.
        try setting.street.evict(payload, as: 2, on: 0)
        try setting.street.pass()
        try setting.street.evict(payload, as: 2, on: 1)
        try setting.street.pass()
        #expect(try setting.street.holders(of: payload) == [1])
        guard case .refused(.promised)? = setting.street.homes[1].evictions[2] else {
            Issue.record("\(String(describing: setting.street.homes[1].evictions[2]))")
            return
        }
    }

    @Test(arguments: [3, 4, 5]) func `never drop the last copy, as a chain of any length`(count: Int) throws {
        var setting = try setting(count)
        let payload = setting.payload
        // All at once, and one behind the other, a day apart and not.
        for round in 1..<UInt64(10) {
            for index in 0..<count {
                try setting.street.evict(payload, as: round, on: index)
                if round % 2 == 0 { try setting.street.pass(milliseconds: 10) }
            }
            try setting.street.pass()
            let left = try setting.street.holders(of: payload)
            #expect(!left.isEmpty, "round \(round)")
            if round % 3 == 0 { setting.street.pass(hours: 25) }
        }
        for index in 0..<count {
            setting.street.pass(hours: 25)
            try setting.street.evict(payload, as: 100, on: index)
            try setting.street.pass()
        }
        #expect(try setting.street.holders(of: payload).count == 1)
    }

    @Test func `leave as many copies as each of them has asked for`() throws {
        var setting = try setting(3)
        let payload = setting.payload
        try setting.street.evict(payload, copies: 2, on: 0)
        try setting.street.pass()
        #expect(try setting.street.holders(of: payload) == [1, 2])
        guard case .evicted(byteCount: 3, let answers)? = setting.street.homes[0].evictions[1] else {
            Issue.record("\(String(describing: setting.street.homes[0].evictions[1]))")
            return
        }
        #expect(answers.count == 2)
        // For a day both are bound; then one of them may go, and the last one finds none.
        try setting.street.evict(payload, on: 1)
        try setting.street.pass()
        #expect(try setting.street.holders(of: payload) == [1, 2])
        setting.street.pass(hours: 25)
        try setting.street.evict(payload, as: 2, on: 1)
        try setting.street.pass()
        #expect(try setting.street.holders(of: payload) == [2])
        setting.street.pass(hours: 25)
        try setting.street.evict(payload, as: 3, on: 2)
        try setting.street.pass()
        #expect(try setting.street.holders(of: payload) == [2])
        guard case .notSafe(let last)? = setting.street.homes[2].evictions[3] else {
            Issue.record("\(String(describing: setting.street.homes[2].evictions[3]))")
            return
        }
        #expect(last.map(\.word) == [.absent, .absent])
    }

    @Test func `keep the last copy although a holder's store went back since its promise`() throws {
        var setting = try setting(3)
        let payload = setting.payload
        let before = setting.street.homes[1].store
        try setting.street.evict(payload, on: 0)
        try setting.street.pass()
        #expect(try setting.street.holders(of: payload) == [1, 2])
        #expect(try setting.street.homes[1].store.retention(of: payload) != nil, "the nearest one was asked")
        try setting.street.restart(1, with: before, program: program)
        #expect(try setting.street.homes[1].store.retention(of: payload) == nil)
        for other in [0, 2] { try setting.street.connect(1, other) }
        try setting.street.pass()
        // It does not know of its promise, and needs one of another holder all the same.
        try setting.street.evict(payload, on: 1)
        try setting.street.pass()
        #expect(try setting.street.holders(of: payload) == [2])
        for (order, hours) in [(UInt64(1), UInt64(0)), (2, 25)] {
            setting.street.pass(hours: hours)
            try setting.street.evict(payload, as: order, on: 2)
            try setting.street.pass()
            #expect(try setting.street.holders(of: payload) == [2], "after \(hours) hours")
        }
    }

    @Test func `keep their promises, and not their attempts, over a restart`() throws {
        var setting = try setting(2)
        let payload = setting.payload
        try setting.street.disconnect(0, 1)
        try setting.street.evict(payload, on: 0)
        // No device is connected: the attempt is over at once, and a row that a crash leaves behind goes with the next start.
        try setting.street.change(0) { _, _, store in
            try store.save(EvictionRow(payload: payload, attempt: 77))
            return CommitNotice()
        }
        try setting.street.connect(0, 1)
        try setting.street.evict(payload, on: 1)
        try setting.street.pass()
        #expect(try setting.street.holders(of: payload) == [0, 1], "a device that is evicting promises nothing")
        try setting.street.restart(0, program: program)
        #expect(try setting.street.homes[0].store.evictions(limit: 9).isEmpty)
        try setting.street.connect(0, 1)
        try setting.street.evict(payload, as: 2, on: 1)
        try setting.street.pass()
        #expect(try setting.street.holders(of: payload) == [0])
        try setting.street.restart(0, program: program)
        try setting.street.connect(0, 1)
        try setting.street.evict(payload, as: 3, on: 0)
        try setting.street.pass()
        guard case .refused(.promised)? = setting.street.homes[0].evictions[3] else {
            Issue.record("\(String(describing: setting.street.homes[0].evictions[3]))")
            return
        }
    }

    @Test func `ask devices of other accounts on request alone`() throws {
        var street = try Street([1, 1], program: program)
        let genesis = try street.makeZone(0)
        let zone = ZoneID(genesis)
        try street.share(genesis, .write, with: 1, by: 0)
        try street.join(genesis, of: 0, on: 1)
        try street.connect(0, 1)
        let payload = try street.add([1, 2, 3], to: "photo", on: 0, zone: zone)
        try street.pass(milliseconds: 10_000)
        try street.look(1)
        try street.fetch(payload, from: 0, on: 1, zone: zone)
        #expect(try street.holders(of: payload) == [0, 1])
        try street.evict(payload, on: 0)
        try street.pass()
        #expect(street.homes[0].evictions[1] == .notSafe([]))
        let question = HolderQuestion(id: 9, payload: payload, zones: [zone])
        try street.feed(.holdersAsked(question), to: 0)
        try street.pass()
        let device = street.homes[1].keys.deviceID
        let account = street.homes[1].log.account
        #expect(street.homes[0].holders[9] == [HolderAnswer(device: device, account: account, word: .held)])
        try street.evict(payload, as: 2, countsOthers: true, on: 0)
        try street.pass()
        #expect(try street.holders(of: payload) == [1])
    }

    @Test func `evict nothing by what they remember of each other, and correct that by each answer`() throws {
        var setting = try setting(2)
        let payload = setting.payload
        func copies(_ index: Int) throws -> ContentCopies {
            try Holders(setting.street.committer(index)).copies(of: payload, in: setting.street.homes[index].store)
        }
        try setting.street.pass(milliseconds: 120_000)
        #expect(try copies(0).machineCount == 2 && copies(1).machineCount == 2, "each has asked the other one")
        try setting.street.evict(payload, on: 1)
        try setting.street.pass()
        #expect(try setting.street.holders(of: payload) == [0])
        #expect(try copies(0).machineCount == 2, "it is not asked again yet")
        // That is no reason for the last one to drop its copy: its promise is over, and the other one has none to make.
        setting.street.pass(hours: 25)
        try setting.street.evict(payload, on: 0)
        try setting.street.pass()
        #expect(try setting.street.holders(of: payload) == [0])
        // The answer to that request says so as well.
        #expect(try copies(0).machineCount == 1)
    }

    @Test func `ask again after a week, and so notice that a holder was restored from an older state`() throws {
        var setting = try setting(2)
        let payload = setting.payload
        try setting.street.pass(milliseconds: 120_000)
        let device = setting.street.homes[1].keys.deviceID
        #expect(try setting.street.homes[0].store.holder(of: payload, device: device)?.holds == true)
        let row = try setting.street.homes[1].store.payload(payload)
        var lost = try #require(row)
        lost.state = .remote
        try setting.street.homes[1].store.save(lost)
        setting.street.pass(hours: 7 * 24 + 1)
        try setting.street.pass(milliseconds: 2 * 3_600_000)
        #expect(try setting.street.homes[0].store.holder(of: payload, device: device)?.holds == false)
    }
}
