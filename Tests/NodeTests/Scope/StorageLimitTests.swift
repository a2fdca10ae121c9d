import KairanInterface
import Records
import Sync
import TestSupport
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `The storage limit of an application` {
    private static let limit: UInt64 = 4_000

    private static func scope(_ limit: UInt64 = Self.limit) -> ZoneScope {
        ZoneScope(containers: ["org.example.notes"], byteCountMax: limit)
    }

    /// Returns the size of the container's records, added up from the records themselves.
    private static func stored(_ desk: RunningNode) async throws -> UInt64 {
        try await desk.node.store.read { transaction in
            var sum: UInt64 = 0
            for zone in try transaction.zones() where !zone.isDeleted && zone.genesis.container == "org.example.notes" {
                let records = try transaction.records(zone: zone.id, after: nil, limit: 10_000).records
                let bytes = records.reduce(UInt64(0)) { $0 + UInt64($1.name.utf8.count + $1.body.count) }
                #expect(try transaction.recordByteCount(zone: zone.id) == bytes)
                sum += bytes
            }
            return sum
        }
    }

    private static func change(_ name: String, _ count: Int) -> RecordDraft {
        RecordDraft(name: name, fields: [("text", .string(String(repeating: "x", count: count)))])
    }

    @Test func `includes its messages, and none of the daemons' records about these`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            let node = desk.node.narrowed(to: Self.scope(20_000))
            let zone = try await node.zones.createZone(name: "a", container: "org.example.notes", history: .fromJoin)
            try await desk.until("the other device has said what it wants messages sealed to") {
                try await $0.zones.zone(zone.zone.text).internalRecords > 0
            }
            let draft = MessageDraft(
                content: Array(repeating: 0x78, count: 1_500),
                contentType: "text/plain; charset=utf-8"
            )
            _ = try await node.records.write([Self.change("r", 100)], zone: "a", atomic: true)
            let message = try await node.messages.send(draft, zone: "a")
            let records = try await node.records.list(zone: "a", after: nil, limit: 1_000, showsInternal: true).records
            #expect(records.contains { $0.type == ReservedType.prekey })
            // Records that arrive from the other device in the meantime do not count, so the sum stays as it is.
            let counted = try await desk.node.store.read { transaction in
                let rows = try transaction.records(zone: zone.zone, after: nil, limit: 1_000).records
                return rows.filter { $0.type == ReservedType.message || !ReservedType.isReserved($0.type) }
                    .reduce(UInt64(0)) { $0 + UInt64($1.visibleByteCount) }
            }
            #expect(try await node.containers.accountReadiness().usedByteCount == counted && counted > 1_500)
            #expect(try await node.zones.zone("a").records == 1)
            try await expectRefusal(.storageLimit) {
                for _ in 0..<8 { _ = try await node.messages.send(draft, zone: "a") }
            }
            #expect(try await node.messages.message(message.id).content == draft.content)
        }
    }

    @Test func `is a sum over its zones; a write beyond it is refused as a whole, a shrinking one never`() async throws
    {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let node = desk.node.narrowed(to: Self.scope())
            for name in ["a", "b"] {
                _ = try await node.zones.createZone(name: name, container: "org.example.notes", history: .full)
            }
            let mail = try await desk.node.zones.createZone(name: "m", container: "org.example.mail", history: .full)
            try await desk.put("large", in: mail.zone.text, text: String(repeating: "x", count: 10_000))
            _ = try await node.records.write([Self.change("r", 1_500)], zone: "a", atomic: true)
            _ = try await node.records.write([Self.change("r", 1_500)], zone: "b", atomic: true)
            let before = try await Self.stored(desk)
            for isAtomic in [true, false] {
                try await expectRefusal(.storageLimit) {
                    try await node.records.write(
                        [Self.change("s", 1), Self.change("t", 1_500)],
                        zone: "a",
                        atomic: isAtomic
                    )
                }
            }
            #expect(try await Self.stored(desk) == before)
            #expect(try await desk.names(in: "a") == ["r"])
            // A caller with access to everything has no limit; afterwards the application can still shrink its
            // records.
            _ = try await desk.node.records.write([Self.change("large", 3_000)], zone: "a", atomic: true)
            #expect(try await Self.stored(desk) > Self.limit)
            try await expectRefusal(.storageLimit) {
                try await node.records.write([Self.change("s", 1)], zone: "b", atomic: true)
            }
            _ = try await node.records.write([Self.change("large", 2_999)], zone: "a", atomic: true)
            _ = try await node.records.write([Self.change("r", 1_500)], zone: "b", atomic: true)
            _ = try await node.records.write([RecordDraft(name: "large", isDeletion: true)], zone: "a", atomic: true)
            _ = try await node.records.write([Self.change("s", 1)], zone: "b", atomic: true)
            // A deleted zone counts no more.
            try await node.zones.deleteZone("a")
            _ = try await node.records.write([Self.change("t", 1_500)], zone: "b", atomic: true)
        }
    }

    @Test func `is exact to the byte, and is counted on after a restart`() async throws {
        try await withNodes { nodes in
            var desk = try await nodes.start()
            _ = try await desk.node.zones.createZone(name: "a", container: "org.example.notes", history: .full)
            _ = try await desk.node.records.write([Self.change("r", 100)], zone: "a", atomic: true)
            let size = try await Self.stored(desk)
            desk = try await nodes.restart(desk)
            #expect(try await Self.stored(desk) == size)
            let exact = desk.node.narrowed(to: Self.scope(2 * size))
            let short = desk.node.narrowed(to: Self.scope(2 * size - 1))
            try await expectRefusal(.storageLimit) {
                try await short.records.write([Self.change("s", 100)], zone: "a", atomic: true)
            }
            _ = try await exact.records.write([Self.change("s", 100)], zone: "a", atomic: true)
            #expect(try await Self.stored(desk) == 2 * size)
            try await expectRefusal(.storageLimit) {
                try await exact.records.write([Self.change("s", 101)], zone: "a", atomic: true)
            }
        }
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `is never exceeded by its writes, whatever their form`(seed: UInt64) async throws {
        try await withNodes { nodes in
            var random = SeededGenerator(seed: seed)
            let desk = try await nodes.start()
            let node = desk.node.narrowed(to: Self.scope())
            for name in ["a", "b"] {
                _ = try await node.zones.createZone(name: name, container: "org.example.notes", history: .full)
            }
            var refused = 0
            for step in 0..<120 {
                let before = try await Self.stored(desk)
                let changes = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    let name = "r\(Int.random(in: 0..<6, using: &random))"
                    return Int.random(in: 0..<4, using: &random) == 0
                        ? RecordDraft(name: name, isDeletion: true)
                        : Self.change(name, Int.random(in: 0..<1_200, using: &random))
                }
                let zone = Bool.random(using: &random) ? "a" : "b"
                let isAtomic = Bool.random(using: &random)
                let code = try await refusal { try await node.records.write(changes, zone: zone, atomic: isAtomic) }
                let after = try await Self.stored(desk)
                if code == .storageLimit {
                    refused += 1
                    #expect(after == before, "seed \(seed), step \(step)")
                } else {
                    #expect(after <= Self.limit || after <= before, "seed \(seed), step \(step): \(before), \(after)")
                }
            }
            #expect(refused > 5 && refused < 115, "seed \(seed): \(refused)")
        }
    }

    @Test func `counts uploads, while they arrive and while they are kept`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let limit: UInt64 = 200_000
            let node = desk.node.narrowed(to: Self.scope(limit))
            _ = try await node.zones.createZone(name: "a", container: "org.example.notes", history: .full)
            let large = AsyncStream<[UInt8]> { stream in
                for _ in 0..<400 { stream.yield([UInt8](repeating: 1, count: 65_536)) }
                stream.finish()
            }
            // An upload that never fits is ended early, and leaves nothing that counts.
            try await expectRefusal(.storageLimit) {
                try await node.payloads.handIn(large, zone: "a", announced: nil)
            }
            let half = [UInt8](repeating: 2, count: 100_000)
            func piece() -> AsyncStream<[UInt8]> {
                AsyncStream { stream in
                    stream.yield(half)
                    stream.finish()
                }
            }
            _ = try await node.payloads.handIn(piece(), zone: "a", announced: nil)
            try await expectRefusal(.storageLimit) {
                try await node.payloads.handIn(piece(), zone: "a", announced: nil)
            }
            // Payloads and records share the room.
            try await expectRefusal(.storageLimit) {
                try await node.records.write([Self.change("r", 100_001)], zone: "a", atomic: true)
            }
            _ = try await node.records.write([Self.change("r", 50_000)], zone: "a", atomic: true)
            // An administrator has no limit.
            _ = try await desk.node.payloads.handIn(piece(), zone: "a", announced: nil)
            try await expectRefusal(.storageLimit) {
                try await node.payloads.handIn(piece(), zone: "a", announced: nil)
            }
        }
    }

    @Test func `bounds the number of payloads as well`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let node = desk.node.narrowed(to: Self.scope(5 * 4_096))
            _ = try await node.zones.createZone(name: "a", container: "org.example.notes", history: .full)
            var count = 0
            while count < 20 {
                let one = AsyncStream<[UInt8]> { stream in
                    stream.yield([1])
                    stream.finish()
                }
                let code = try await refusal { try await node.payloads.handIn(one, zone: "a", announced: nil) }
                guard code == nil else { break }
                count += 1
            }
            #expect(count == 5)
        }
    }

    @Test func `does not bound writes of the other devices`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            let zone = try await desk.node.zones.createZone(name: "a", container: "org.example.notes", history: .full)
                .zone
            let text = String(repeating: "x", count: 5_000)
            try await desk.put("large", in: zone.text, text: text)
            try await lap.untilField("text", of: "large", in: zone.text, is: .string(text))
            let there = try await Self.stored(desk)
            #expect(try await Self.stored(lap) == there)
            let node = lap.node.narrowed(to: Self.scope())
            try await expectRefusal(.storageLimit) {
                try await node.records.write([Self.change("s", 1)], zone: zone.text, atomic: true)
            }
        }
    }
}
