import TestSupport
import Wire

extension OperationHeader: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> OperationHeader {
        OperationHeader(
            counter: generator.counter(),
            tag: .sample(&generator),
            vector: .sample(&generator),
            creation: .sample(&generator),
            controlHeads: .sample(&generator),
            epoch: .sample(&generator),
            time: .sample(&generator),
            batch: .sample(&generator),
            bodyHash: .sample(&generator)
        )
    }
}

extension Operation: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Operation {
        Operation(header: .sample(&generator), body: generator.blob(maximum: 200))
    }
}

extension AssetDescriptor: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> AssetDescriptor {
        AssetDescriptor(
            payload: .sample(&generator),
            size: generator.number(maximum: AssetDescriptor.sizeMax),
            secret: AssetSecret([1] + generator.bytes(AssetSecret.byteCount - 1)) ?? .unknown,
            mediaType: generator.text(minimum: 0),
            fileName: fileName(&generator),
            modified: generator.coin() ? generator.signed() : nil,
            thumbnail: generator.blob(maximum: 300)
        )
    }

    private static func fileName(_ generator: inout SeededGenerator) -> String {
        let scalars = generator.text(minimum: 0).unicodeScalars.filter { $0.value != 0 }
        return String(String.UnicodeScalarView(scalars))
    }
}

extension CounterState.Entry: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> CounterState.Entry {
        CounterState.Entry(actor: .sample(&generator), counter: generator.counter(), total: generator.signed())
    }
}

extension CounterState: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> CounterState {
        CounterState(entries: generator.distinct(maximum: 4))
    }
}

extension SetState: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> SetState {
        var entries: [Entry] = []
        for _ in 0..<generator.below(5) {
            let element = FieldValue.scalar(&generator)
            if !entries.contains(where: { $0.element == element }) {
                entries.append(Entry(element: element, dots: generator.distinct(minimum: 1, maximum: 3)))
            }
        }
        return SetState(entries: entries)
    }
}

extension FieldValue: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> FieldValue {
        switch generator.below(8) {
        case 0: .counter(.sample(&generator))
        case 1: .set(.sample(&generator))
        default: listItem(&generator, depth: 0)
        }
    }

    /// A value that may stand in a list.
    private static func listItem(_ generator: inout SeededGenerator, depth: Int) -> FieldValue {
        guard generator.below(3) == 0, depth < Limits.nestingDepthMax else { return scalar(&generator) }
        return .list((0..<generator.below(4)).map { _ in listItem(&generator, depth: depth + 1) })
    }

    /// A value that contains no other.
    static func scalar(_ generator: inout SeededGenerator) -> FieldValue {
        switch generator.below(12) {
        case 0: .null
        case 1: .string(generator.text(minimum: 0, maximum: 200))
        case 2: .int64(generator.signed())
        case 3: .double(generator.double())
        case 4: .bool(generator.coin())
        case 5: .bytes(generator.blob(maximum: 200))
        case 6: .date(milliseconds: generator.signed())
        case 7: .location(latitude: generator.double(), longitude: generator.double())
        case 8: .reference(zone: generator.coin() ? .sample(&generator) : nil, record: generator.text())
        case 9: .asset(.sample(&generator))
        case 10: .anchor(record: generator.text())
        default:
            .unknown(tag: max(firstUnknownTag, generator.number()), bytes: generator.blob())
        }
    }
}

extension FieldEntry: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> FieldEntry {
        FieldEntry(dot: .sample(&generator), time: .sample(&generator), value: .sample(&generator))
    }
}

extension RecordField: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> RecordField {
        RecordField(name: generator.text(), entries: generator.distinct(minimum: 1, maximum: 2))
    }
}

extension RecordBody: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> RecordBody {
        RecordBody(
            name: generator.text(),
            type: generator.text(),
            isDeleted: generator.coin(),
            parent: generator.coin() ? generator.text() : nil,
            creator: .sample(&generator),
            modifier: .sample(&generator),
            fields: generator.distinct(maximum: 3),
            unknownExtension: generator.blob(maximum: 4)
        )
    }
}
