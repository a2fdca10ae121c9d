import Records
import Sodium
import TestSupport
import Testing
import Wire

/// The laws of joins, differences and violations, on schemas made by dice.
@Suite struct SchemaLawTests {
    private static let seed: UInt64 = 0x5C4E_4A01

    /// Schemas over few names, so that they overlap; a field has one kind in all, unless they are to conflict.
    private struct Dice {
        var generator: SeededGenerator
        var mayConflict = false

        mutating func coin() -> Bool { Bool.random(using: &generator) }
        mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

        mutating func schema() -> Schema {
            let types = (0..<3).filter { _ in coin() }.map { type("T\($0)") }
            return Schema(types: types, unknown: attributes())
        }

        private mutating func type(_ name: String) -> RecordTypeSchema {
            let fields = (0..<4).filter { _ in coin() }.map { field($0) }
            return RecordTypeSchema(
                name: name,
                fields: fields,
                conflicts: coin() ? .latest : .keep,
                unknown: attributes()
            )
        }

        private mutating func field(_ index: Int) -> FieldSchema {
            let kinds: [FieldKind] = [.int64, .string, .list, .double]
            let kind = kinds[mayConflict && below(8) == 0 ? below(4) : index]
            var values: [FieldValue] = []
            if coin() {
                if kind == .int64 { values = (0..<3).map { .int64($0) }.filter { _ in coin() } }
                if kind == .string { values = ["a", "b", "c"].map { .string($0) }.filter { _ in coin() } }
            }
            var field = FieldSchema(
                name: "f\(index)",
                kind: kind,
                isRequired: below(4) == 0,
                values: values,
                indexes: coin() ? .value : [],
                unknown: attributes()
            )
            if kind.hasElements, coin() { field.element = coin() ? .string : .int64 }
            if kind.hasBounds {
                if coin() { field.minimum = number(kind, below(3)) }
                if coin() { field.maximum = number(kind, 2 + below(3)) }
            }
            if kind.hasLength {
                if coin() { field.lengthMinimum = UInt64(below(2)) }
                if coin() { field.lengthMaximum = UInt64(1 + below(3)) }
            }
            return field
        }

        private func number(_ kind: FieldKind, _ number: Int) -> FieldValue {
            kind == .int64 ? .int64(Int64(number)) : .double(Double(number))
        }

        private mutating func attributes() -> [SchemaAttribute] {
            guard below(4) == 0 else { return [] }
            return [SchemaAttribute(tag: UInt64(40 + below(2)), payload: [UInt8(below(3))])]
        }

        mutating func body() -> RecordBody {
            let fields = (0..<5).filter { _ in coin() }.map { index in
                RecordField(name: "f\(index)", entries: [FieldEntry(dot: dot, time: .zero, value: value())])
            }
            return RecordBody(
                name: "r",
                type: "T\(below(3))",
                isDeleted: below(8) == 0,
                parent: nil,
                creator: .zero,
                modifier: .zero,
                fields: fields
            )
        }

        let dot = Dot(actor: .zero, counter: 1)

        private mutating func value() -> FieldValue {
            switch below(6) {
            case 0: .null
            case 1: .string(["", "a", "bb", "cccc"][below(4)])
            case 2: .list((0..<below(4)).map { _ in coin() ? .int64(1) : .string("x") })
            case 3: .double(Double(below(6)))
            default: .int64(Int64(below(6)))
            }
        }
    }

    @Test func `the join is commutative, associative and idempotent, and all that it joins is additive below it`()
        throws
    {
        var dice = Dice(generator: SeededGenerator(seed: Self.seed))
        for round in 0..<3_000 {
            let (a, b, c) = (dice.schema(), dice.schema(), dice.schema())
            let ab = try a.joined(with: b)
            #expect(ab == (try b.joined(with: a)), "seed \(Self.seed), round \(round)")
            #expect(
                try ab.joined(with: c) == a.joined(with: try b.joined(with: c)),
                "seed \(Self.seed), round \(round)"
            )
            #expect(try a.joined(with: a) == a && ab.joined(with: b) == ab, "seed \(Self.seed), round \(round)")
            // Statements of a later version are not understood here: of two of them one is taken.
            let refused = a.differences(to: ab).filter { !$0.isAdditive && $0.aspect != .unknown }
            #expect(refused.isEmpty, "seed \(Self.seed), round \(round): \(refused)")
            #expect(a.differences(to: a).isEmpty)
            #expect(a == b || !a.differences(to: b).isEmpty, "seed \(Self.seed), round \(round)")
        }
    }

    @Test func `a value that one schema allows is allowed by its union with another one`() throws {
        var dice = Dice(generator: SeededGenerator(seed: Self.seed &+ 1))
        var (allowed, refused) = (0, 0)
        for round in 0..<3_000 {
            let (a, b) = (dice.schema(), dice.schema())
            let later = try a.joined(with: b)
            for _ in 0..<4 {
                let body = dice.body()
                guard a.violations(of: body, by: dice.dot).isEmpty else {
                    refused += 1
                    continue
                }
                allowed += 1
                #expect(later.violations(of: body, by: dice.dot).isEmpty, "seed \(Self.seed &+ 1), round \(round)")
            }
        }
        #expect(allowed > 500 && refused > 500, "\(allowed) allowed, \(refused) refused")
    }

    @Test func `a further promotion never reduces the schema in force, even if it conflicts`() throws {
        var dice = Dice(generator: SeededGenerator(seed: Self.seed &+ 2), mayConflict: true)
        var conflicts = 0
        for round in 0..<500 {
            let promotions = (0..<6).map { number in
                SchemaPromotion(
                    hash: Hash(digesting: .schemaHash, [UInt8(number)]),
                    bytes: dice.below(10) == 0 ? [0xFF] : dice.schema().encoded
                )
            }
            var before: ProductionSchema?
            for count in 1...promotions.count {
                let now = ProductionSchema(Array(promotions.prefix(count)))
                if let before, let now {
                    #expect(Set(before.promotions).isSubset(of: now.promotions), "seed \(Self.seed &+ 2), \(round)")
                    #expect(
                        try before.schema.joined(with: now.schema) == now.schema,
                        "seed \(Self.seed &+ 2), \(round)"
                    )
                    #expect(now.has(now.last) && now.promotions.allSatisfy(now.has))
                }
                before = now
            }
            if let before { #expect(try ProductionSchema(decoding: before.encoded) == before) }
            conflicts += promotions.count - (before?.promotions.count ?? 0)
        }
        #expect(conflicts > 50)
    }
}
