import TestSupport
import Wire

extension GuestRecordWrite: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> GuestRecordWrite {
        let parent: ParentChange =
            switch generator.below(3) {
            case 0: .keep
            case 1: .set(generator.text())
            default: .clear
            }
        return GuestRecordWrite(
            name: generator.text(),
            type: generator.coin() ? generator.text() : nil,
            flags: Flags(rawValue: UInt8(generator.below(16))),
            ifVersion: generator.coin() ? generator.bytes(16) : nil,
            parent: parent,
            set: (0..<generator.below(3)).map { _ in
                FieldAssignment(field: generator.text(), value: .sample(&generator))
            },
            removed: (0..<generator.below(3)).map { _ in generator.text() },
            increments: (0..<generator.below(3)).map { _ in
                CounterIncrement(field: generator.text(), amount: generator.signed())
            },
            insertions: (0..<generator.below(2)).map { _ in elements(&generator) },
            withdrawals: (0..<generator.below(2)).map { _ in elements(&generator) }
        )
    }

    private static func elements(_ generator: inout SeededGenerator) -> SetElements {
        SetElements(
            field: generator.text(),
            values: (0..<generator.below(3)).map { _ in FieldValue.scalar(&generator) }
        )
    }
}

extension GuestWrite: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> GuestWrite {
        GuestWrite(
            number: generator.number(),
            zone: .sample(&generator),
            isAtomic: generator.coin(),
            writes: (0...generator.below(2)).map { _ in .sample(&generator) },
            entries: (0..<generator.below(3)).map { _ in generator.blob(maximum: 200) }
        )
    }
}

extension GuestResult: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> GuestResult {
        switch generator.below(16) {
        case 0: .refused(.versionMismatch(current: generator.bytes(16)))
        case 1: .refused(.versionMismatch(current: nil))
        case 2: .refused(.alreadyExists(current: generator.bytes(16)))
        case 3: .refused(.notFound)
        case 15:
            .refused(
                .schemaViolation(
                    (0..<generator.below(3)).map { _ in
                        GuestViolation(
                            field: generator.text(minimum: 0),
                            rule: generator.text(),
                            found: generator.text()
                        )
                    }
                )
            )
        case 4: .refused(.typeMissing)
        case 5: .refused(.typeMismatch(current: generator.text()))
        case 6: .refused(.wrongKind(field: generator.text()))
        case 7: .refused(.ambiguousField(generator.text()))
        case 8: .refused(.invalid)
        case 9: .refused(.tooLarge(byteCount: generator.number()))
        case 10: .refused(.notAllowed)
        case 11: .refused(.tooManyActors)
        case 12: .refused(.batchTooLarge)
        case 13: .refused(.batchRefused(index: generator.number()))
        default:
            .saved(
                version: generator.bytes(16),
                milliseconds: generator.number(),
                body: GuestRecord(.sample(&generator))
            )
        }
    }
}

extension GuestAnswer: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> GuestAnswer {
        let outcome: Outcome =
            generator.coin()
            ? .decided((0...generator.below(3)).map { _ in .sample(&generator) })
            : .refused(UInt8(generator.below(256)))
        return GuestAnswer(number: generator.number(), outcome)
    }
}
