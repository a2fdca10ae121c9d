import Capabilities
import Identity
import Records
import Sync
import Testing
import Wire

@Suite("Schemas of a container")
struct SchemaTests {
    private let container = "org.example.notes"

    /// Alice (devices 0, 1) owns the zone, Bob (2) may do something in it.
    private func shared(_ level: AccessLevel = .write) throws -> (Neighbours, ZoneID) {
        var neighbours = try Neighbours([2, 1])
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(level, to: 1, by: 0, zone: zone)
        try neighbours.exchange(zone)
        return (neighbours, zone)
    }

    private func schema(
        _ fields: [FieldSchema] = [FieldSchema(name: "text", kind: .string, lengthMaximum: 5)]
    ) -> Schema {
        Schema(types: [RecordTypeSchema(name: "note", fields: fields)])
    }

    private func promote(
        _ schema: Schema,
        on index: Int,
        in neighbours: inout Neighbours
    ) throws -> [ZoneID] {
        try neighbours.change(index) {
            _ = try Schemas($0).declare(schema, container: container, in: &$2)
            return try Schemas($0).promote(container: container, in: &$2).outcome.zones
        }
    }

    private func reasons(_ neighbours: Neighbours, _ zone: ZoneID, on index: Int) throws -> [QuarantineEntry.Reason] {
        try Quarantine(of: zone).entries(limit: 9, in: neighbours.homes[index].store).map(\.reason)
    }

    /// Writes values that the schema does not allow, as a modified daemon would.
    private func cheat(_ name: String, on index: Int, _ zone: ZoneID, in neighbours: inout Neighbours) throws {
        try neighbours.change(index) {
            let production = try #require(try $2.zone(zone)?.productionSchema())
            _ = try ZoneEvaluation(of: zone).enforce(
                production.pretending(schema([FieldSchema(name: "text", kind: .string)])),
                in: &$2
            )
            let write = RecordWrite(
                name: name,
                type: "note",
                set: [.init(field: "text", value: .string("far too long"))]
            )
            let commit = try $0.commit([WriteRequest([write])], zone: zone, in: &$2).reply
            #expect(throws: Never.self) { try commit.results[0][0].get() }
        }
    }

    // MARK: Development

    @Test func `development learns from writes, and the knowledge of two devices is combined`() throws {
        var (neighbours, zone) = try shared()
        func learn(_ field: String, on index: Int) throws {
            try neighbours.change(index) {
                let write = RecordWrite(name: field, type: "note", set: [.init(field: field, value: .bool(true))])
                let rows = try $0.commit([WriteRequest([write])], zone: zone, in: &$2).reply.changed
                #expect(try Schemas($0).learn(from: rows, zone: zone, in: &$2) != nil)
                #expect(try Schemas($0).learn(from: rows, zone: zone, in: &$2) == nil, "known by now")
            }
        }
        // Both have the book, and learn while they are apart.
        let book = try neighbours.change(0) { try AccountZone($0).establish(in: &$2).zone }
        _ = try neighbours.change(1) { try AccountZone($0).establish(in: &$2).zone }
        try learn("a", on: 0)
        try learn("b", on: 1)
        try neighbours.exchange(book, among: [0, 1])
        for index in [0, 1] {
            let schemas = try neighbours.change(index) { try Schemas($0).all(of: container, in: $2) }
            #expect(schemas.development.types.map(\.name.string) == ["note"])
            #expect(schemas.development.type(named: "note")?.fields.map(\.name.string) == ["a", "b"])
            #expect(schemas.production == nil)
        }
    }

    private func write(
        _ field: String,
        type: String = "note",
        on index: Int,
        _ zone: ZoneID,
        in neighbours: inout Neighbours
    ) throws -> Bool {
        try neighbours.change(index) {
            let write = RecordWrite(name: field, type: type, set: [.init(field: field, value: .bool(true))])
            let commit = try $0.commit([WriteRequest([write])], zone: zone, in: &$2).reply
            #expect(throws: Never.self) { try commit.results[0][0].get() }
            return try Schemas($0).learn(from: commit.changed, zone: zone, in: &$2) != nil
        }
    }

    private func types(_ neighbours: Neighbours, on index: Int) throws -> [[String]] {
        try Schemas(neighbours.committer(index)).all(of: container, in: neighbours.homes[index].store).development.types
            .map { [$0.name.string] + $0.fields.map(\.name.string) }
    }

    /// As after a join: the account's book is here, its keys are not yet.
    @Test(arguments: [true, false])
    func `a record is written while the book cannot be read, and its content is learned when it can`(
        hasOwnKey: Bool
    ) throws {
        var neighbours = try Neighbours([2], envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0)
        // A device for which no key can be sealed gets the book's bytes alone.
        try neighbours.restate([1, 2, 3], on: 1, issued: 2)
        #expect(try write("a", on: 0, zone, in: &neighbours))
        let book = ZoneID(AccountZone(neighbours.committer(0)).genesis)
        if hasOwnKey {
            // It had begun the same book under a key of its own.
            try neighbours.restate(nil, on: 1, issued: 3)
            _ = try neighbours.change(1) { try AccountZone($0).establish(in: &$2) }
        } else {
            try neighbours.change(1) {
                _ = try ZoneLifecycle($0).learn(book, genesis: AccountZone($0).genesis, in: &$2)
            }
        }
        try neighbours.exchange(book)
        #expect(try types(neighbours, on: 1) == [])
        #expect(try !write("b", on: 1, zone, in: &neighbours), "what it would add to cannot be read")
        #expect(try write("c", type: "task", on: 1, zone, in: &neighbours) == hasOwnKey)
        let declared = Schema(types: [RecordTypeSchema(name: "note")])
        #expect {
            try neighbours.change(1) { try Schemas($0).declare(declared, container: container, in: &$2) }
        } throws: { error in
            switch error {
            case InviteError.notWritten(_, .notReadable): hasOwnKey
            case CommitError.noKey: !hasOwnKey
            default: false
            }
        }
        if !hasOwnKey { try neighbours.restate(nil, on: 1, issued: 3) }
        try neighbours.change(0) { _ = try ZoneUpkeep($0).maintain(book, in: &$2) }
        try neighbours.exchange(book)
        #expect(try types(neighbours, on: 1).contains(["note", "a"]))
        #expect(try write("b", on: 1, zone, in: &neighbours))
        #expect(try write("c", type: "task", on: 1, zone, in: &neighbours) == !hasOwnKey)
        try neighbours.exchange(book)
        for index in [0, 1] {
            #expect(try Set(types(neighbours, on: index)) == [["note", "a", "b"], ["task", "c"]])
        }
    }

    @Test func `development is declared as a whole and refuses nothing`() throws {
        var (neighbours, zone) = try shared()
        try neighbours.change(0) {
            _ = try Schemas($0).declare(schema(), container: container, in: &$2)
            let other = Schema(types: [RecordTypeSchema(name: "task", fields: [FieldSchema(name: "due", kind: .date)])])
            _ = try Schemas($0).declare(other, container: container, in: &$2)
            #expect(try Schemas($0).all(of: container, in: $2).development == other)
            #expect(try Schemas($0).declare(other, container: container, in: &$2).number == nil)
        }
        #expect(try neighbours.write("a", "as long as you like", on: 0, zone: zone) == nil)
    }

    // MARK: Production

    @Test func `a promotion is in force locally at once, and violations are reported in full`() throws {
        var (neighbours, zone) = try shared()
        #expect(try promote(schema(), on: 0, in: &neighbours) == [zone])
        #expect(try promote(schema(), on: 0, in: &neighbours) == [], "it is said already")
        #expect(
            try neighbours.write("a", "too long", on: 0, zone: zone)
                == .schemaViolation([
                    SchemaViolation(
                        field: "text",
                        rule: .lengthMaximum,
                        found: "string of 8",
                        type: "note",
                        allowed: "5"
                    )
                ])
        )
        #expect(
            try neighbours.write("a", "x", type: "other", on: 0, zone: zone)
                == .schemaViolation([
                    SchemaViolation(field: nil, rule: .undeclaredType, found: "nothing", type: "other", allowed: "note")
                ])
        )
        #expect(try neighbours.write("a", "short", on: 0, zone: zone) == nil)
        try neighbours.exchange(zone)
        #expect(try neighbours.write("b", "too long", on: 2, zone: zone) != nil, "for whom it is shared with, too")
    }

    @Test func `only an account that rules a zone promotes there`() throws {
        var (neighbours, zone) = try shared()
        #expect(try promote(schema(), on: 2, in: &neighbours) == [])
        // A modified daemon writes it all the same.
        try neighbours.pretend(.owner, on: 2, zone: zone)
        #expect(try promote(schema(), on: 2, in: &neighbours) == [zone])
        try neighbours.exchange(zone)
        for index in [0, 1] { #expect(try neighbours.homes[index].store.zone(zone)?.production == []) }
        var (admins, other) = try shared(.admin)
        #expect(try promote(schema(), on: 2, in: &admins) == [other])
        try admins.exchange(other)
        #expect(try admins.homes[0].store.zone(other)?.productionSchema()?.schema == schema())
    }

    @Test func `a change that is not additive is refused with all reasons and without effect`() throws {
        var (neighbours, zone) = try shared()
        _ = try promote(schema(), on: 0, in: &neighbours)
        let before = try neighbours.homes[0].store.zone(zone)?.production
        let refused = SchemaRefusal.notAdditive([
            SchemaDifference(type: "note", field: "text", aspect: .lengthMaximum, change: .tightened)
        ])
        #expect(throws: refused) {
            try promote(schema([FieldSchema(name: "text", kind: .string, lengthMaximum: 4)]), on: 0, in: &neighbours)
        }
        #expect(try neighbours.homes[0].store.zone(zone)?.production == before)
        let wider = schema([FieldSchema(name: "text", kind: .string), FieldSchema(name: "at", kind: .date)])
        #expect(try promote(wider, on: 0, in: &neighbours) == [zone])
        #expect(try neighbours.write("a", "as long as you like", on: 0, zone: zone) == nil)
    }

    @Test func `a zone that is made later begins in production`() throws {
        var (neighbours, _) = try shared()
        _ = try promote(schema(), on: 0, in: &neighbours)
        let zone = try neighbours.zone(of: 0)
        #expect(try neighbours.homes[0].store.zone(zone)?.productionSchema()?.schema == schema())
        #expect(try neighbours.write("a", "too long", on: 0, zone: zone) != nil)
    }

    // MARK: From peers

    @Test(arguments: [true, false])
    func `a violation by an author that had seen the schema is quarantined, whichever came first`(
        isPromotionFirst: Bool
    ) throws {
        var (neighbours, zone) = try shared()
        _ = try promote(schema(), on: 0, in: &neighbours)
        try neighbours.pull(zone, from: 0, to: 2)
        try cheat("a", on: 2, zone, in: &neighbours)
        #expect(try neighbours.write("b", "short", on: 2, zone: zone) == nil)
        if isPromotionFirst { try neighbours.pull(zone, from: 0, to: 1) }
        // Only the records: the control log comes later.
        try neighbours.pull(zone, from: 2, to: 1) { $0.key.lane == .data }
        #expect(try neighbours.text("a", on: 1, zone: zone) == (isPromotionFirst ? nil : "far too long"))
        for _ in 0..<2 {
            for target in [0, 1] {
                for source in 0..<3 where source != target { try neighbours.pull(zone, from: source, to: target) }
            }
        }
        for index in [0, 1] {
            #expect(try neighbours.text("a", on: index, zone: zone) == nil)
            #expect(try neighbours.text("b", on: index, zone: zone) == "short")
            #expect(try reasons(neighbours, zone, on: index) == [.outOfSchema])
        }
        #expect(try neighbours.digests(zone, of: [0, 1]).count == 1)
    }

    @Test func `writes by authors that had not seen the promotion remain effective`() throws {
        var (neighbours, zone) = try shared()
        _ = try promote(schema(), on: 0, in: &neighbours)
        #expect(try neighbours.write("a", "as long as you like", on: 2, zone: zone) == nil)
        try neighbours.exchange(zone)
        for index in 0..<3 {
            #expect(try neighbours.text("a", on: index, zone: zone) == "as long as you like")
            #expect(try reasons(neighbours, zone, on: index).isEmpty)
        }
        #expect(try neighbours.digests(zone, of: [0, 1, 2]).count == 1)
    }

    @Test func `a quarantined write becomes effective by a later promotion or by adoption`() throws {
        var (neighbours, zone) = try shared()
        _ = try promote(schema(), on: 0, in: &neighbours)
        try neighbours.exchange(zone)
        for name in ["a", "b"] { try cheat(name, on: 2, zone, in: &neighbours) }
        for index in [0, 1] { try neighbours.pull(zone, from: 2, to: index) }
        let found = try Quarantine(of: zone).entries(limit: 9, in: neighbours.homes[0].store)
        #expect(found.map(\.reason) == [.outOfSchema, .outOfSchema])
        let dot = try #require(found.first { $0.name == "a" }?.dot)
        #expect(try neighbours.change(1) { try QuarantineDecisions($0).adopt(dot, zone: zone, in: &$2).reply })
        try neighbours.exchange(zone, among: [0, 1])
        for index in [0, 1] {
            #expect(try neighbours.text("a", on: index, zone: zone) == "far too long")
            #expect(try neighbours.text("b", on: index, zone: zone) == nil)
        }
        _ = try promote(schema([FieldSchema(name: "text", kind: .string)]), on: 0, in: &neighbours)
        try neighbours.exchange(zone, among: [0, 1])
        for index in [0, 1] {
            #expect(try neighbours.text("b", on: index, zone: zone) == "far too long")
            #expect(try reasons(neighbours, zone, on: index).isEmpty)
        }
        #expect(try neighbours.digests(zone, of: [0, 1]).count == 1)
    }

    @Test func `two promotions made apart hold together, and of two kinds of one field one holds for all`() throws {
        var (neighbours, zone) = try shared(.admin)
        _ = try promote(schema(), on: 0, in: &neighbours)
        let other = schema([FieldSchema(name: "text", kind: .string), FieldSchema(name: "at", kind: .date)])
        _ = try promote(other, on: 2, in: &neighbours)
        try neighbours.exchange(zone)
        let joined = try schema().joined(with: other)
        for index in 0..<3 {
            let production = try neighbours.homes[index].store.zone(zone)?.productionSchema()
            #expect(production?.schema == joined && production?.promotions.count == 2)
        }
        var (apart, both) = try shared(.admin)
        _ = try promote(schema(), on: 0, in: &apart)
        _ = try promote(schema([FieldSchema(name: "text", kind: .bytes)]), on: 2, in: &apart)
        try apart.exchange(both)
        let inForce = try (0..<3).map { try apart.homes[$0].store.zone(both)?.productionSchema() }
        #expect(Set(inForce).count == 1 && inForce[0]?.promotions.count == 1)
    }

    @Test func `fields of a later version survive a write by this version byte for byte`() throws {
        var (neighbours, zone) = try shared()
        let later = FieldValue.unknown(tag: 99, bytes: [1, 2, 3])
        try neighbours.change(0) {
            let write = RecordWrite(name: "a", type: "note", set: [.init(field: "new", value: later)])
            _ = try $0.commit([WriteRequest([write])], zone: zone, in: &$2)
        }
        try neighbours.exchange(zone)
        #expect(try neighbours.write("a", "short", on: 2, zone: zone) == nil)
        try neighbours.exchange(zone)
        let store = neighbours.homes[1].store
        let row = try store.record(zone: zone, tag: try RecordTag(of: "a", zone: zone, in: store))
        #expect(try row?.content().field(named: "new")?.winner?.value == later)
    }
}
