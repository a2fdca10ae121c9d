import Testing
import Wire

/// Schemas byte for byte, and the inputs that their decoders refuse.
@Suite struct SchemaGoldenTests {
    private let field = FieldSchema(
        name: "n",
        kind: .int64,
        isRequired: true,
        minimum: .int64(0),
        maximum: .int64(3),
        values: [.int64(3), .int64(1), .int64(3)],
        indexes: .value,
        unknown: [SchemaAttribute(tag: 300, payload: [7])]
    )
    private let fieldHex =
        "016e 02 06" + "01 00" + "03 03 020100" + "04 03 020106" + "07 07 02 020102 020106" + "08 01 01" + "ac02 01 07"

    @Test func `a field is a name, a kind and attributes in the order of their tags`() {
        #expect(field.encoded == Layout.bytes(fieldHex))
        #expect(FieldSchema(name: "n", kind: .string).encoded == Layout.bytes("016e 01 00"))
    }

    @Test func `a text has lengths and two indexes, a list elements`() {
        let text = FieldSchema(
            name: "t",
            kind: .string,
            lengthMinimum: 1,
            lengthMaximum: 300,
            indexes: [.value, .text]
        )
        #expect(text.encoded == Layout.bytes("0174 01 03" + "05 01 01" + "06 02 ac02" + "08 01 03"))
        #expect(FieldSchema(name: "l", kind: .list, element: .date).encoded == Layout.bytes("016c 0a 01 02 01 06"))
    }

    @Test func `a schema is a format, attributes and types`() {
        let type = RecordTypeSchema(name: "T", fields: [field], unknown: [SchemaAttribute(tag: 1, payload: [9, 9])])
        let schema = Schema(types: [type, RecordTypeSchema(name: "A")])
        #expect(
            schema.encoded
                == Layout.bytes("01 00 02" + "0141 00 00" + "0154 01 01 02 0909 01" + fieldHex)
        )
    }

    @Test func `of a type the one attribute that is known is a policy, and another payload of it is kept`() throws {
        #expect(RecordTypeSchema(name: "T", conflicts: .latest).encoded == Layout.bytes("0154 01 01 01 01 00"))
        let later = Layout.bytes("0154 01 01 01 02 00")
        let type = try RecordTypeSchema(decoding: later)
        #expect(type.conflicts == .keep && type.encoded == later)
        let same = RecordTypeSchema(name: "T", unknown: [SchemaAttribute(tag: 1, payload: [1])])
        #expect(same == RecordTypeSchema(name: "T", conflicts: .latest))
    }

    private func refusal(_ hex: String) -> WireError? {
        do {
            _ = try FieldSchema(decoding: Layout.bytes(hex))
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("016e 00 00", WireError.invalidValue("kind of a field")),
        ("00 01 00", .invalidValue("string length")),
        ("016e 01 01 01 01 00", .trailingBytes),
        ("016e 01 02 06 01 01 05 01 01", .notAscending),
        ("016e 01 02 05 01 02 06 01 01", .invalidValue("bounds of a field")),
        ("016e 02 02 03 03 020102 04 03 020100", .invalidValue("bounds of a field")),
        ("016e 01 01 03 03 020100", .invalidValue("bound of a field")),
        ("016e 02 01 05 01 01", .invalidValue("length of a field")),
        ("016e 03 01 03 0a 03 08 8000000000000000", .invalidValue("bound of a field")),
        ("016e 03 01 03 0a 03 08 7ff8000000000000", .invalidValue("bound of a field")),
        ("016e 01 01 02 01 01", .invalidValue("elements of a field")),
        ("016e 0c 01 02 01 0a", .invalidValue("elements of a field")),
        ("016e 02 01 07 01 00", .invalidValue("values of a field")),
        ("016e 02 01 07 07 02 020106 020102", .notAscending),
        ("016e 02 01 08 01 02", .invalidValue("indexes of a field")),
        ("016e 01 01 08 01 04", .invalidValue("indexes of a field")),
        ("016e 01 01 08 01 00", .invalidValue("indexes of a field")),
    ])
    func `a meaningless schema is refused`(hex: String, error: WireError) {
        #expect(refusal(hex) == error)
    }

    @Test func `sizes have limits`() {
        func refusal(_ schema: Schema) -> WireError? {
            do {
                _ = try schema.checkedEncoding()
                return nil
            } catch {
                return error
            }
        }
        func type(_ name: String, _ count: Int) -> RecordTypeSchema {
            RecordTypeSchema(name: name, fields: (0..<count).map { FieldSchema(name: "f\($0)", kind: .bool) })
        }
        #expect(refusal(Schema(types: (0..<256).map { type("t\($0)", 1) })) == nil)
        #expect(refusal(Schema(types: (0..<257).map { type("t\($0)", 0) })) == .tooLong(limit: 256))
        #expect(refusal(Schema(types: [type("t", 512)])) == nil)
        #expect(refusal(Schema(types: [type("t", 513)])) == .tooLong(limit: 512))
        #expect(refusal(Schema(types: (0..<256).map { type("t\($0)", 400) })) == .tooLong(limit: 262_144))
    }
}
