import TestSupport
import Wire

extension SchemaAttribute: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> SchemaAttribute {
        // Tags that this version knows have a form of their own.
        SchemaAttribute(tag: 9 + generator.number() % 1_000, payload: generator.blob())
    }
}

extension FieldKind {
    static func sample(_ generator: inout SeededGenerator) -> FieldKind {
        FieldKind(tag: UInt64(1 + generator.below(14))) ?? .string
    }
}

extension FieldSchema: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> FieldSchema {
        let kind = FieldKind.sample(&generator)
        var field = FieldSchema(
            name: generator.text(),
            kind: kind,
            isRequired: generator.coin(),
            values: generator.coin() ? enumerated(kind, &generator) : [],
            unknown: generator.distinct(maximum: 2)
        )
        if kind.hasElements, generator.coin() { field.element = generator.coin() ? .string : .int64 }
        let (least, greatest) = bounds(kind, &generator)
        if generator.coin() { field.minimum = least }
        if generator.coin() { field.maximum = greatest }
        if kind.hasLength {
            let length = UInt64(generator.below(300))
            if generator.coin() { field.lengthMinimum = length }
            if generator.coin() { field.lengthMaximum = length + UInt64(generator.below(300)) }
        }
        if generator.coin() { field.indexes = kind == .string && generator.coin() ? [.value, .text] : .value }
        return field
    }

    private static func enumerated(_ kind: FieldKind, _ generator: inout SeededGenerator) -> [FieldValue] {
        switch kind {
        case .string: (0...generator.below(4)).map { _ in .string(generator.text(minimum: 0)) }
        case .int64: (0...generator.below(4)).map { _ in .int64(generator.signed()) }
        default: []
        }
    }

    private static func bounds(_ kind: FieldKind, _ generator: inout SeededGenerator) -> (FieldValue?, FieldValue?) {
        let least = Int64(generator.below(1_000)) - 500
        let greatest = least + Int64(generator.below(1_000))
        switch kind {
        case .int64: return (.int64(least), .int64(greatest))
        case .double: return (.double(Double(least) + 0), .double(Double(greatest) + 0))
        case .date: return (.date(milliseconds: least), .date(milliseconds: greatest))
        default: return (nil, nil)
        }
    }
}

extension RecordTypeSchema: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> RecordTypeSchema {
        RecordTypeSchema(
            name: generator.text(),
            fields: generator.distinct(maximum: 4),
            conflicts: generator.below(3) == 0 ? .latest : .keep,
            unknown: generator.distinct(maximum: 2)
        )
    }
}

extension Schema: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Schema {
        Schema(types: generator.distinct(maximum: 3), unknown: generator.distinct(maximum: 2))
    }
}
