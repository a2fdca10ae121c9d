import KairanClient

/// Remembers the fields of records, and determines which of them a change has changed.
struct FieldDiary {
    /// One field that is another one now.
    struct Difference: Hashable {
        /// Its name.
        var field: String
        /// The value before; `nil` where it was not there.
        var before: RecordValue?
        /// The value now; `nil` where it is not there any more.
        var now: RecordValue?
    }

    private var zones: [String: NameDictionary<NameDictionary<RecordValue>>] = [:]
    /// The zones of which all records are known: any other record in them is new.
    private var wholeZones: Set<String> = []

    /// The most records of a zone that are read before the first change.
    static let readCountMax: UInt64 = 10_000

    /// Remembers the current fields of a record.
    mutating func note(_ fields: NameDictionary<RecordValue>, of record: String, in zone: String) {
        zones[zone, default: [:]][record] = fields
    }

    /// Takes note that all records of a zone are known.
    mutating func noteAllAreKnown(in zone: String) { wholeZones.insert(zone) }

    /// The differences that a change makes, in the order of the names.
    /// - Returns: `nil` when nothing was known of the record before: then the fields of the change are all that is known.
    mutating func differences(_ change: Change) -> [Difference]? {
        let record = change.record
        let before = zones[record.zone]?[record.name] ?? (wholeZones.contains(record.zone) ? [:] : nil)
        guard change.kind == .save else {
            zones[record.zone]?[record.name] = nil
            return []
        }
        note(record.fields, of: record.name, in: record.zone)
        guard let before else { return nil }
        let names = before.mapValues { _ in true }.merging(record.fields.mapValues { _ in true }) { first, _ in first }
        return names.keys.compactMap { name in
            let (old, new) = (before[name], record.fields[name])
            return old == new ? nil : Difference(field: name, before: old, now: new)
        }
    }

    /// A change for people: one indented line a field.
    mutating func text(_ change: Change, style: Style) -> String {
        guard change.kind == .save else {
            _ = differences(change)
            return ""
        }
        let lines: [String]
        if let differences = differences(change) {
            lines =
                differences.isEmpty
                ? [style.dim("no field has another value than before")]
                : differences.map { Self.text($0, style: style) }
        } else {
            lines =
                [style.dim("not known before; its fields now:")]
                + change.record.fields.map { "\(Table.visible($0.key)): \(Self.shown($0.value))" }
        }
        return lines.map { "\n    " + $0 }.joined()
    }

    private static func text(_ difference: Difference, style: Style) -> String {
        let field = Table.visible(difference.field)
        return switch (difference.before, difference.now) {
        case (let before?, let now?): "\(field): \(style.dim(shown(before))) → \(shown(now))"
        case (nil, let now?): "\(field): \(shown(now)) \(style.dim("(new)"))"
        case (let before?, nil): "\(field): \(style.dim("gone, was \(shown(before))"))"
        case (nil, nil): field
        }
    }

    /// The most characters of a value that are shown.
    private static let valueCharacterCountMax = 200

    private static func shown(_ value: RecordValue) -> String {
        let text = Words.value(value)
        guard text.count > valueCharacterCountMax else { return text }
        return text.prefix(valueCharacterCountMax - 1) + "…"
    }
}
