import FoundationEssentials

/// A field during encoding: `Codable` fills containers after the encoder has returned them.
enum FieldNode {
    case value(RecordValue)
    case list(ListBuffer)

    /// The finished value.
    var value: RecordValue {
        switch self {
        case .value(let value): value
        case .list(let list): .list(list.elements.map(\.value))
        }
    }

    /// Encodes a value of any kind.
    /// - Throws: `EncodingError` when no field can hold it.
    init(encoding value: some Encodable, at path: [any CodingKey]) throws {
        if let special = try FieldKind.value(of: value, at: path) {
            self = .value(special)
            return
        }
        let slot = ValueSlot()
        try value.encode(to: ValueEncoder(slot: slot, codingPath: path))
        guard let node = slot.node else { throw FieldMisfit.namesInside(value, at: path) }
        self = node
    }

    /// An integer, if 64 bits with a sign hold it.
    static func integer(_ number: some FixedWidthInteger & Encodable, at path: [any CodingKey]) throws -> RecordValue {
        guard let integer = Int64(exactly: number) else {
            throw FieldMisfit.error(number, at: path, "it is beyond the integers of 64 bits with a sign")
        }
        return .integer(integer)
    }
}

/// The fields of one record while they are written.
final class FieldBuffer {
    private(set) var fields: NameDictionary<FieldNode> = [:]
    private(set) var absent: NameDictionary<Bool> = [:]

    func set(_ name: String, _ field: FieldNode) {
        fields[name] = field
        absent[name] = nil
    }

    func remove(_ name: String) {
        fields[name] = nil
        absent[name] = true
    }
}

/// A list while it is written.
final class ListBuffer {
    var elements: [FieldNode] = []
}

/// A place for a single value.
final class ValueSlot {
    var node: FieldNode?
}

/// Encoding errors for values that a field cannot hold.
enum FieldMisfit {
    static func error(_ value: Any, at path: [any CodingKey], _ reason: String) -> EncodingError {
        .invalidValue(value, .init(codingPath: path, debugDescription: reason))
    }

    static func namesInside(_ value: Any, at path: [any CodingKey]) -> EncodingError {
        error(value, at: path, "a field cannot hold a value with named members")
    }

    static func listOutside(_ value: Any, at path: [any CodingKey]) -> EncodingError {
        error(value, at: path, "a record consists of named fields, so this has to be a type with properties")
    }
}
