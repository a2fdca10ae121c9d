import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

/// An account and its devices get names.
@Suite struct `A name in the account log` {
    private typealias Fixture = AccountFixture

    private static func log(_ roles: DeviceRole...) throws -> AccountLog {
        var log = try Fixture.newLog()
        for (index, role) in roles.enumerated() {
            _ = try log.add(try Fixture.addition(index + 1, role: role), by: Fixture.signer(0))
        }
        return log
    }

    private static func set(_ name: String, of device: Int? = nil) -> AccountAction {
        .setName(Naming(of: device.map(Fixture.device), name: name).encoded)
    }

    private static func name(_ log: AccountLog, _ index: Int) -> String? {
        log.state.devices[Fixture.device(index)]?.name
    }

    private static func naming(
        _ log: AccountLog,
        _ device: Int?,
        _ name: String,
        by index: Int = 0,
        seed: UInt64 = 5
    ) throws -> [UInt8]? {
        var random = SeededGenerator(seed: seed)
        return try log.naming(device.map(Fixture.device), name, signer: Fixture.signer(index), using: &random)?.encoded
    }

    @Test func `is the account's or a device's, and a device without one has the one that it came with`() throws {
        var log = try Self.log(.full)
        #expect(log.state.name == nil && Self.name(log, 1) == "device-1")
        #expect(try log.insert(try #require(try Self.naming(log, nil, "Bo"))))
        #expect(try log.insert(try #require(try Self.naming(log, 1, "lap", by: 1))))
        #expect(log.state.name == "Bo" && Self.name(log, 1) == "lap" && Self.name(log, 0) == "device-0")
        #expect(try Self.naming(log, nil, "Bo") == nil)
        #expect(try Self.naming(log, 1, "lap") == nil)
        #expect(try Self.naming(log, 0, "device-0") == nil)
    }

    @Test func `is the last one of those that knew of each other, whatever their hashes are`() throws {
        for seed in UInt64(0)..<20 {
            var log = try Self.log(.full)
            for (number, name) in ["a", "b", "c", "d"].enumerated() {
                let entry = try Self.naming(log, nil, name, by: number % 2, seed: seed + UInt64(number))
                #expect(try log.insert(try #require(entry)))
                #expect(log.state.name == name)
            }
        }
    }

    @Test(arguments: UInt64(0)..<20)
    func `is the same in whatever order the entries come`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let before = try Self.log(.full, .full)
        // Each device names without having seen the others, twice in a row.
        var entries: [[UInt8]] = []
        for index in 0..<3 {
            var own = before
            for round in 0..<2 {
                for device in [nil, 0, 1, 2] as [Int?] {
                    let name = "n\(Int.random(in: 0..<1_000, using: &generator))"
                    if let entry = try Self.naming(own, device, name, by: index, seed: seed * 100 + UInt64(round)) {
                        try own.insert(entry)
                        entries.append(entry)
                    }
                }
            }
        }
        let states = try (0..<4).map { _ in
            var log = before
            try log.insertInRandomOrder(entries, using: &generator)
            return log.state
        }
        #expect(Set(states).count == 1, "seed \(seed)")
        #expect(states[0].name?.hasPrefix("n") == true, "seed \(seed)")
    }

    @Test func `of two at the same time is that of the greater hash`() throws {
        let before = try Self.log(.full)
        let entries = try (0...1).map { index in
            try Fixture.forge(
                Self.set("n\(index)"),
                in: before,
                parents: before.heads,
                signer: Fixture.signer(index),
                nonce: UInt8(index)
            )
        }
        let hashes = try entries.map { try UnverifiedAccountEntry($0).hash }
        let wanted = hashes[0] < hashes[1] ? "n1" : "n0"
        for order in [[0, 1], [1, 0]] {
            var log = before
            for index in order { try log.insert(entries[index]) }
            #expect(log.state.name == wanted)
        }
    }

    @Test func `by a removed device above its cut is ignored, and below it stays`() throws {
        var log = try Self.log(.full, .full)
        _ = try log.add(Self.set("kept"), by: Fixture.signer(1))
        let past = log.heads
        _ = try log.add(Fixture.removal(1, keeping: past), by: Fixture.signer(0))
        _ = try log.add(Self.set("forged"), by: Fixture.signer(1), after: past)
        _ = try log.add(Self.set("mine", of: 2), by: Fixture.signer(1), after: past, nonce: 1)
        #expect(log.state.name == "kept" && Self.name(log, 2) == "device-2")
        // A removed device still has a name.
        #expect(try log.insert(try #require(try Self.naming(log, 1, "stolen"))))
        #expect(Self.name(log, 1) == "stolen" && log.standing(1) == .removed)
    }

    @Test func `has no effect when it is none, turns text around, or is a stranger's`() throws {
        var log = try Self.log(.full)
        let bytes = [
            [], [1, 2, 3], [0, 0], Naming(of: nil, name: "a\u{202E}b").encoded,
            Naming(of: nil, name: String(repeating: "n", count: 65)).encoded,
            Naming(of: nil, name: "Bo").encoded + [0], Naming(of: Fixture.device(7), name: "Bo").encoded,
        ]
        for (nonce, bytes) in bytes.enumerated() {
            _ = try log.add(.setName(bytes), by: Fixture.signer(0), nonce: UInt8(nonce))
        }
        #expect(log.state.name == nil && log.state.devices.count == 2)
        #expect(log.entries.count == 2 + bytes.count, "all are passed on")
    }

    @Test func `is refused when it is made if it is none`() throws {
        let log = try Self.log(.readOnly)
        for (name, mistake) in [
            ("", Naming.Mistake.byteCount(0)), (String(repeating: "n", count: 65), .byteCount(65)), ("  ", .blank),
            ("a\u{202E}b", .character("\u{202E}")), ("a\nb", .character("\n")),
        ] {
            #expect(throws: AccountError.badName(mistake)) { try Self.naming(log, nil, name) }
        }
        #expect(throws: AccountError.unknownDevice(Fixture.device(7))) { try Self.naming(log, 7, "Bo") }
        #expect(throws: AccountError.notAllowed) { try Self.naming(log, nil, "Bo", by: 1) }
    }

    @Test func `is given a bounded number of times by one device, and others may continue`() throws {
        var log = try Self.log(.full)
        for number in 0..<AccountLog.namingCountMax {
            #expect(try log.insert(try #require(try Self.naming(log, nil, "n\(number)", seed: UInt64(number)))))
        }
        #expect(throws: AccountError.tooManyNames) { try Self.naming(log, nil, "Bo") }
        #expect(throws: AccountError.tooManyNames) { try Self.naming(log, 1, "Bo") }
        #expect(try log.insert(try #require(try Self.naming(log, nil, "Bo", by: 1))))
        #expect(log.state.name == "Bo")
    }

    @Test func `holds though the log is crowded with entries that it does not name`() throws {
        var log = try Self.log(.full)
        let base = log.heads
        // A flood beside each other: none of it is a parent of what comes later.
        let flood = try (0..<520).map { number in
            try Fixture.forge(
                .unknown(tag: 99, bytes: [UInt8(number & 0xFF), UInt8(number >> 8)]),
                in: log,
                parents: base,
                signer: Fixture.signer(number % 2)
            )
        }
        try log.insert(contentsOf: flood)
        for (number, name) in ["a", "b", "c"].enumerated() {
            #expect(try log.insert(try #require(try Self.naming(log, nil, name, by: number % 2))))
            #expect(log.state.name == name)
        }
    }
}
