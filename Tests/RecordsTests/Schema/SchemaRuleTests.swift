import Records
import Sodium
import Testing
import Wire

/// Differences, violations and inference by example.
@Suite struct SchemaRuleTests {
    private let own = Dot(actor: .zero, counter: 2)
    private let other = Dot(actor: .zero, counter: 1)

    private func schema(_ fields: [FieldSchema]) -> Schema {
        Schema(types: [RecordTypeSchema(name: "Note", fields: fields)])
    }

    private func body(
        _ fields: [(String, FieldValue)],
        type: String = "Note",
        by dot: Dot? = nil,
        isDeleted: Bool = false
    ) -> RecordBody {
        RecordBody(
            name: "n",
            type: type,
            isDeleted: isDeleted,
            parent: nil,
            creator: .zero,
            modifier: .zero,
            fields: fields.map { name, value in
                RecordField(name: name, entries: [FieldEntry(dot: dot ?? own, time: .zero, value: value)])
            }
        )
    }

    private func broken(_ field: FieldSchema, _ value: FieldValue) -> [SchemaViolation.Rule] {
        schema([field]).violations(of: body([(field.name.string, value)]), by: own).map(\.rule)
    }

    // MARK: Violations

    @Test func `each rule is broken only by values outside of it`() {
        let age = FieldSchema(name: "a", kind: .int64, minimum: .int64(1), maximum: .int64(3))
        #expect((0...4).map { broken(age, .int64($0)) } == [[.minimum], [], [], [], [.maximum]])
        let text = FieldSchema(name: "t", kind: .string, lengthMinimum: 1, lengthMaximum: 2)
        #expect(
            ["", "é", "e\u{301}", "🏮🏮", "abc"].map { broken(text, .string($0)) } == [
                [.lengthMinimum], [], [], [], [.lengthMaximum],
            ]
        )
        let choice = FieldSchema(name: "c", kind: .string, values: [.string("a"), .string("b")])
        #expect(broken(choice, .string("b")).isEmpty && broken(choice, .string("B")) == [.values])
        let list = FieldSchema(name: "l", kind: .list, element: .int64)
        #expect(broken(list, .list([.int64(1)])).isEmpty && broken(list, .list([.int64(1), .null])) == [.element])
        let number = FieldSchema(name: "d", kind: .double, minimum: .double(0))
        #expect(broken(number, .double(.nan)) == [.maximum] && broken(number, .double(-0.0)).isEmpty)
        #expect(broken(age, .string("2")) == [.kind] && broken(age, .null).isEmpty)
    }

    private func sentences(_ field: FieldSchema, _ value: FieldValue?) -> [String] {
        let fields = value.map { [(field.name.string, $0)] } ?? []
        return schema([field]).violations(of: body(fields), by: own).map(\.sentence)
    }

    @Test func `each rule is a sentence that states the required and the given value`() {
        let age = FieldSchema(name: "a", kind: .int64, isRequired: true, minimum: .int64(1), maximum: .int64(3))
        #expect(
            sentences(age, .string("abc")) == ["field \"a\" must be an int64, and a text of 3 characters was given"]
        )
        #expect(sentences(age, .list([])) == ["field \"a\" must be an int64, and a list of 0 elements was given"])
        #expect(sentences(age, .int64(0)) == ["field \"a\" must be at least 1"])
        #expect(sentences(age, .int64(4)) == ["field \"a\" must be at most 3"])
        #expect(sentences(age, nil) == ["field \"a\", an int64, must be there"])
        let text = FieldSchema(name: "t", kind: .string, lengthMinimum: 1, lengthMaximum: 2)
        #expect(
            sentences(text, .string("")) == [
                "field \"t\" must have at least 1 character, and a text of 0 characters was given"
            ]
        )
        #expect(
            sentences(text, .string("abc")) == [
                "field \"t\" must have at most 2 characters, and a text of 3 characters was given"
            ]
        )
        #expect(sentences(text, .bool(true)) == ["field \"t\" must be a text, and a bool was given"])
        let choice = FieldSchema(name: "c", kind: .string, values: [.string("a"), .string("b")])
        #expect(sentences(choice, .string("secret")) == ["field \"c\" must be one of \"a\", \"b\""])
        let list = FieldSchema(name: "l", kind: .list, element: .int64)
        #expect(sentences(list, .list([.null])) == ["field \"l\" must have elements that are each an int64"])
        let number = FieldSchema(name: "d", kind: .double, minimum: .double(0))
        #expect(sentences(number, .double(.nan)) == ["field \"d\" must be a number within its bounds"])
        let declared = schema([text])
        #expect(
            declared.violations(of: body([("x", .string("secret"))]), by: own).map(\.sentence)
                == ["field \"x\" is not declared for the type \"Note\", which has t"]
        )
        #expect(
            declared.violations(of: body([], type: "Other"), by: own).map(\.sentence)
                == ["the type \"Other\" is not declared; the schema has Note"]
        )
    }

    @Test func `decisions of another device are sentences, too, with all that it has stated`() {
        for rule in SchemaViolation.Rule.allCases {
            for found in ["string of 3", "int64", "nothing", "bytes of 1", "", "1 2 3 4"] {
                let field = rule == .undeclaredType ? nil : "a"
                let sentence = SchemaViolation(field: field, rule: rule, found: found).sentence
                #expect(sentence.hasPrefix(field == nil ? "its type is not declared" : "field \"a\" "), "\(sentence)")
                #expect(!sentence.contains("nil") && !sentence.contains("_"), "\(sentence)")
            }
        }
    }

    @Test func `a required field is present and not null`() {
        let schema = schema([FieldSchema(name: "t", kind: .string, isRequired: true)])
        #expect(schema.violations(of: body([]), by: own).map(\.rule) == [.required])
        #expect(schema.violations(of: body([("t", .null)]), by: own).map(\.rule) == [.required])
        #expect(schema.violations(of: body([("t", .string(""))]), by: own).isEmpty)
        #expect(schema.violations(of: body([("t", .string(""))], by: other), by: own).isEmpty)
        #expect(schema.violations(of: body([], isDeleted: true), by: own).isEmpty)
    }

    @Test func `an unknown type and an unknown field are violations, reported without their content`() {
        let schema = schema([FieldSchema(name: "t", kind: .string)])
        #expect(
            schema.violations(of: body([], type: "Other"), by: own) == [
                SchemaViolation(field: nil, rule: .undeclaredType, found: "nothing", type: "Other", allowed: "Note")
            ]
        )
        let violations = schema.violations(of: body([("x", .string("secret")), ("t", .int64(77))]), by: own)
        #expect(
            violations == [
                SchemaViolation(field: "t", rule: .kind, found: "int64", type: "Note", allowed: "string"),
                SchemaViolation(field: "x", rule: .undeclaredField, found: "string of 6", type: "Note", allowed: "t"),
            ]
        )
        #expect(!violations.contains { $0.description.contains("secret") || $0.description.contains("77") })
    }

    @Test func `a write is not refused for values of others that it only carries on`() {
        let schema = schema([FieldSchema(name: "t", kind: .string)])
        #expect(schema.violations(of: body([("t", .int64(1)), ("x", .null)], by: other), by: own).isEmpty)
    }

    @Test func `only operations that name an effective promotion are checked against the schema`() throws {
        let named = Hash(digesting: .schemaHash, [1])
        let production = try #require(
            ProductionSchema([
                SchemaPromotion(hash: named, bytes: schema([]).encoded), SchemaPromotion(hash: .zero, bytes: [9]),
            ])
        )
        #expect(production.last == named && production.promotions == [named])
        func header(_ heads: Hash) -> OperationHeader {
            OperationHeader(
                counter: 2,
                tag: .zero,
                vector: VersionVector(),
                creation: own,
                controlHeads: heads,
                epoch: .zero,
                time: .zero,
                batch: BatchPlace(index: 0, count: 1),
                bodyHash: .zero
            )
        }
        let body = body([("x", .bool(true))])
        #expect(production.violations(of: header(named), body, by: .zero).map(\.rule) == [.undeclaredField])
        #expect(production.violations(of: header(.zero), body, by: .zero).isEmpty)
    }

    // MARK: Differences

    @Test func `a policy is loosened to keep all values, and never tightened`() throws {
        func schema(_ conflicts: ConflictPolicy) -> Schema {
            Schema(types: [RecordTypeSchema(name: "Note", conflicts: conflicts)])
        }
        #expect(schema(.latest).differences(to: schema(.keep)).map(\.change) == [.loosened])
        #expect(schema(.keep).differences(to: schema(.latest)).map(\.change) == [.tightened])
        #expect(try schema(.keep).joined(with: schema(.latest)) == schema(.keep))
        #expect(try schema(.latest).joined(with: schema(.latest)) == schema(.latest))
        #expect(try schema(.latest).joined(with: Schema()) == schema(.latest))
    }

    @Test func `additions and relaxations are additive; removals, retypings and restrictions are not`() {
        let old = schema([
            FieldSchema(name: "a", kind: .int64, maximum: .int64(3), indexes: .value),
            FieldSchema(name: "b", kind: .string, isRequired: true, values: [.string("x")]),
            FieldSchema(name: "c", kind: .string),
        ])
        let new = Schema(types: [
            RecordTypeSchema(
                name: "Note",
                fields: [
                    FieldSchema(name: "a", kind: .int64, maximum: .int64(2)),
                    FieldSchema(name: "b", kind: .string, values: [.string("x"), .string("y")]),
                    FieldSchema(name: "c", kind: .bytes),
                    FieldSchema(name: "d", kind: .bool, isRequired: true),
                    FieldSchema(name: "e", kind: .bool),
                ]
            ), RecordTypeSchema(name: "Zoo", fields: [FieldSchema(name: "z", kind: .bool, isRequired: true)]),
        ])
        func difference(
            _ field: String?,
            _ aspect: SchemaDifference.Aspect,
            _ change: SchemaDifference.Change,
            _ type: String = "Note"
        ) -> SchemaDifference {
            SchemaDifference(type: type, field: field, aspect: aspect, change: change)
        }
        let differences = old.differences(to: new)
        #expect(
            differences == [
                difference("a", .maximum, .tightened), difference("a", .index, .removed),
                difference("b", .required, .loosened), difference("b", .values, .loosened),
                difference("c", .kind, .changed), difference("d", .field, .added),
                difference("d", .required, .tightened), difference("e", .field, .added),
                difference(nil, .type, .added, "Zoo"),
            ]
        )
        #expect(differences.filter { !$0.isAdditive }.compactMap(\.field) == ["a", "a", "c", "d"])
        #expect(new.differences(to: old).contains(difference(nil, .type, .removed, "Zoo")))
    }

    @Test func `more values are a relaxation; fewer, others, or some where all were allowed, are a restriction`() {
        func changes(_ old: String, _ new: String) -> [SchemaDifference.Change] {
            func field(_ values: String) -> FieldSchema {
                FieldSchema(name: "f", kind: .string, values: values.map { .string(String($0)) })
            }
            return schema([field(old)]).differences(to: schema([field(new)])).map(\.change)
        }
        #expect(changes("ab", "ab") == [])
        #expect(changes("a", "ab") == [.loosened])
        #expect(changes("ab", "") == [.loosened])
        #expect(changes("ab", "a") == [.tightened])
        #expect(changes("a", "b") == [.tightened])
        #expect(changes("", "a") == [.tightened])
    }

    @Test func `fields of two kinds cannot be joined, and two that fill a schema neither`() {
        #expect(throws: SchemaConflict.kind(type: "Note", field: "a", .string, .int64)) {
            try schema([FieldSchema(name: "a", kind: .int64)]).joined(
                with: schema([FieldSchema(name: "a", kind: .string)])
            )
        }
        func many(_ prefix: String) -> Schema {
            schema((0..<300).map { FieldSchema(name: "\(prefix)\($0)", kind: .bool) })
        }
        #expect(throws: SchemaConflict.tooLarge(.tooLong(limit: 512))) { try many("a").joined(with: many("b")) }
    }

    // MARK: Inference

    @Test func `development learns the type and each field once, and nothing from null`() throws {
        let first = try #require(
            Schema.inferred(
                from: body([
                    ("a", .int64(1)), ("b", .null), ("c", .list([.string("x"), .string("y")])),
                    ("d", .list([.string("x"), .int64(1)])), ("e", .unknown(tag: 99, bytes: [1])),
                ]),
                beyond: nil
            )
        )
        #expect(first.name.string == "Note")
        #expect(first.fields.map(\.name.string) == ["a", "c", "d", "e"])
        #expect(first.fields.map(\.kind.name) == ["int64", "list", "list", "kind-99"])
        #expect(first.fields.map(\.element) == [nil, .string, nil, nil])
        #expect(Schema.inferred(from: body([("a", .string("s")), ("b", .null)]), beyond: first) == nil)
        #expect(Schema.inferred(from: body([("b", .bool(true))]), beyond: first)?.fields.map(\.name.string) == ["b"])
        #expect(Schema.inferred(from: body([], isDeleted: true), beyond: nil) == nil)
    }

    @Test func `a schema's fields of a later version survive a join and a round trip byte for byte`() throws {
        let later = SchemaAttribute(tag: 77, payload: [1, 2, 3])
        var field = FieldSchema(name: "a", kind: .int64)
        field.unknown = [later]
        let schema = Schema(
            types: [RecordTypeSchema(name: "Note", fields: [field], unknown: [later])],
            unknown: [later]
        )
        let joined = try Schema(decoding: schema.encoded).joined(
            with: self.schema([FieldSchema(name: "a", kind: .int64)])
        )
        #expect(joined.encoded == schema.encoded)
    }
}
