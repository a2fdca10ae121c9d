/// The definition of a field of a record type.
///
/// ```
/// +-------------+-------------+----------------------------------------------+
/// | name string | kind varint | count × SchemaAttribute, ascending by tag    |
/// +-------------+-------------+----------------------------------------------+
///  1 required   nothing            5 minimum length  varint
///  2 element    varint             6 maximum length  varint
///  3 minimum    FieldValue         7 values          count, FieldValues ascending by their encodings
///  4 maximum    FieldValue         8 indexes         varint of bits      others: kept as they are
/// ```
///
/// An attribute that is not there says nothing: there is one encoding for each field.
package struct FieldSchema: Hashable, Sendable {
    /// The field's name, 1...255 bytes.
    package var name: BytewiseString
    /// The kind of its values.
    package var kind: FieldKind
    /// Whether each record of the type has the field, with a value other than null.
    package var isRequired: Bool
    /// The kind of the elements of lists and sets; `nil` for any.
    package var element: FieldKind?
    /// Of whole numbers, doubles and dates: the least value.
    package var minimum: FieldValue?
    /// Of whole numbers, doubles and dates: the greatest value.
    package var maximum: FieldValue?
    /// Of texts (in Unicode scalars), bytes, lists and sets: the least length.
    package var lengthMinimum: UInt64?
    /// Of texts (in Unicode scalars), bytes, lists and sets: the greatest length.
    package var lengthMaximum: UInt64?
    /// Of texts and whole numbers: the only values there may be; empty for any.
    package let values: [FieldValue]
    /// The indexes it asks for.
    package var indexes: IndexKinds
    /// Attributes of the field that a later version defines, ascending by tag.
    package var unknown: [SchemaAttribute]

    /// Describes a field, and sorts values and attributes.
    /// - Parameters: as the properties of the same names.
    package init(
        name: String,
        kind: FieldKind,
        isRequired: Bool = false,
        element: FieldKind? = nil,
        minimum: FieldValue? = nil,
        maximum: FieldValue? = nil,
        lengthMinimum: UInt64? = nil,
        lengthMaximum: UInt64? = nil,
        values: [FieldValue] = [],
        indexes: IndexKinds = [],
        unknown: [SchemaAttribute] = []
    ) {
        self.name = BytewiseString(name)
        self.kind = kind
        self.isRequired = isRequired
        self.element = element
        self.minimum = minimum
        self.maximum = maximum
        self.lengthMinimum = lengthMinimum
        self.lengthMaximum = lengthMaximum
        self.values = values.map(EncodedValue.init).inWireOrder().map(\.value)
        self.indexes = indexes
        self.unknown = unknown.inWireOrder()
    }
}

extension FieldSchema: WireCodable, WireOrdered {
    package var orderKey: BytewiseString { name }

    /// A name of one byte, a kind, no attributes.
    static let byteCountMin = 4

    package func encode(into writer: inout WireWriter) {
        writer.writeString(name.string)
        writer.writeVarint(kind.tag)
        writer.writeList((known + unknown).sorted { $0.tag < $1.tag })
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let name = try reader.readString(minimum: 1, maximum: Limits.nameByteCountMax)
        guard let kind = FieldKind(tag: try reader.readVarint()) else { throw .invalidValue("kind of a field") }
        var field = FieldSchema(name: name, kind: kind)
        var values: [FieldValue] = []
        for attribute in try reader.readSchemaAttributes() {
            var payload = WireReader(attribute.payload)
            switch attribute.tag {
            case 1: field.isRequired = true
            case 2: field.element = try Self.readElement(of: kind, from: &payload)
            case 3: field.minimum = try Self.readBound(of: kind, from: &payload)
            case 4: field.maximum = try Self.readBound(of: kind, from: &payload)
            case 5: field.lengthMinimum = try Self.readLength(of: kind, from: &payload)
            case 6: field.lengthMaximum = try Self.readLength(of: kind, from: &payload)
            case 7: values = try Self.readValues(of: kind, from: &payload)
            case 8: field.indexes = try Self.readIndexes(of: kind, from: &payload)
            default:
                field.unknown.append(attribute)
                continue
            }
            try payload.finish()
        }
        self = field.with(values: values)
        guard isOrdered else { throw .invalidValue("bounds of a field") }
    }

    /// The same field with other enumerated values.
    /// - Parameter values: The values, in any order.
    /// - Returns: The field.
    package func with(values: [FieldValue]) -> FieldSchema {
        FieldSchema(
            name: name.string,
            kind: kind,
            isRequired: isRequired,
            element: element,
            minimum: minimum,
            maximum: maximum,
            lengthMinimum: lengthMinimum,
            lengthMaximum: lengthMaximum,
            values: values,
            indexes: indexes,
            unknown: unknown
        )
    }

    /// The known properties, as attributes.
    private var known: [SchemaAttribute] {
        var known: [SchemaAttribute] = []
        func state(_ tag: UInt64, _ payload: (inout WireWriter) -> Void) {
            var writer = WireWriter()
            payload(&writer)
            known.append(SchemaAttribute(tag: tag, payload: writer.bytes))
        }
        if isRequired { state(1) { _ in } }
        if let element { state(2) { $0.writeVarint(element.tag) } }
        if let minimum { state(3) { $0.write(minimum) } }
        if let maximum { state(4) { $0.write(maximum) } }
        if let lengthMinimum { state(5) { $0.writeVarint(lengthMinimum) } }
        if let lengthMaximum { state(6) { $0.writeVarint(lengthMaximum) } }
        if !values.isEmpty { state(7) { $0.writeList(values) } }
        if !indexes.isEmpty { state(8) { $0.writeVarint(indexes.rawValue) } }
        return known
    }

    /// Whether no lower bound exceeds its upper bound.
    private var isOrdered: Bool {
        if let minimum, let maximum, maximum.isBelow(minimum) { return false }
        if let lengthMinimum, let lengthMaximum, lengthMaximum < lengthMinimum { return false }
        return true
    }

    private static func readElement(
        of kind: FieldKind,
        from payload: inout WireReader
    ) throws(WireError) -> FieldKind {
        let element = FieldKind(tag: try payload.readVarint())
        guard kind.hasElements, let element, element != .counter, element != .set, kind == .list || element != .list
        else { throw .invalidValue("elements of a field") }
        return element
    }

    private static func readBound(of kind: FieldKind, from payload: inout WireReader) throws(WireError) -> FieldValue {
        let bound = try FieldValue(from: &payload)
        guard kind.hasBounds, bound.tag == kind.tag, !bound.isNaN, !bound.isMinusZero else {
            throw .invalidValue("bound of a field")
        }
        return bound
    }

    private static func readLength(of kind: FieldKind, from payload: inout WireReader) throws(WireError) -> UInt64 {
        guard kind.hasLength else { throw .invalidValue("length of a field") }
        return try payload.readVarint()
    }

    private static func readValues(
        of kind: FieldKind,
        from payload: inout WireReader
    ) throws(WireError) -> [FieldValue] {
        let values: [EncodedValue] = try payload.readAscending(
            maximum: Limits.schemaValueCountMax,
            itemByteCountMin: EncodedValue.byteCountMin
        )
        guard kind.hasEnumeration, !values.isEmpty, values.allSatisfy({ $0.value.tag == kind.tag }) else {
            throw .invalidValue("values of a field")
        }
        return values.map(\.value)
    }

    private static func readIndexes(of kind: FieldKind, from payload: inout WireReader) throws(WireError) -> IndexKinds
    {
        let indexes = IndexKinds(rawValue: try payload.readVarint())
        guard !indexes.isEmpty, indexes.isSubset(of: kind == .string ? [.value, .text] : .value) else {
            throw .invalidValue("indexes of a field")
        }
        return indexes
    }
}

/// A value in the order of its encoding.
private struct EncodedValue: WireCodable, WireOrdered, Equatable {
    let value: FieldValue
    let orderKey: Bytes

    /// Tag and length.
    static let byteCountMin = 2

    init(_ value: FieldValue) {
        self.value = value
        orderKey = Bytes(bytes: value.encoded)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(try FieldValue(from: &reader))
    }

    func encode(into writer: inout WireWriter) {
        writer.write(value)
    }

    struct Bytes: Comparable {
        let bytes: [UInt8]

        static func < (left: Self, right: Self) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
    }
}

extension FieldValue {
    /// Whether this lies before another value of the same kind; false for kinds without an order, and for NaN.
    package func isBelow(_ other: FieldValue) -> Bool {
        switch (self, other) {
        case (.int64(let left), .int64(let right)): left < right
        case (.double(let left), .double(let right)): left < right
        case (.date(let left), .date(let right)): left < right
        default: false
        }
    }

    /// Whether this is the double that is not a number.
    package var isNaN: Bool {
        if case .double(let number) = self { number.isNaN } else { false }
    }

    /// Whether this is the zero below which nothing lies that is not below the other zero as well.
    fileprivate var isMinusZero: Bool {
        if case .double(let number) = self { number.isZero && number.sign == .minus } else { false }
    }
}
