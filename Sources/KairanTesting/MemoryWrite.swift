import KairanClient
import Wire

/// One write, and its effect on a record.
struct MemoryWrite {
    private enum Parent {
        case keep
        case become(String?)
    }

    private enum Edit {
        case assign(FieldValue)
        case remove
        case increment(Int64)
        case change(inserted: [FieldValue], withdrawn: [FieldValue])
    }

    let name: String
    let isDeletion: Bool
    private let type: String?
    let ifVersion: String?
    private let replacesAll: Bool
    private let parent: Parent
    private let assigned: [(name: String, value: FieldValue)]
    private let removed: [String]
    private let increments: [(name: String, amount: Int64)]
    private let insertions: [(name: String, elements: [FieldValue])]
    private let withdrawals: [(name: String, elements: [FieldValue])]

    /// Reads a write.
    /// - Parameters:
    ///   - json: The object.
    ///   - name: The record's name where the object does not have it.
    ///   - path: The place in the request, for messages.
    ///   - sizes: The sizes of the uploaded contents by their ids.
    /// - Throws: `invalid_argument`, `double.unsupported`.
    init(
        _ json: JSONValue,
        name: String? = nil,
        at path: String = "",
        sizes: [String: UInt64]
    ) throws(MemoryRefusal) {
        let place = path.isEmpty ? "" : path + "."
        guard let name = name ?? json["name"]?.text else { throw .invalid(place + "name", "it is missing") }
        self.name = name
        isDeletion = json["delete"] == true
        type = json["type"]?.text
        ifVersion = json["if_version"]?.text
        replacesAll = json["replace"] == true
        parent = json["parent"].map { .become($0.text) } ?? .keep
        if let type { try MemoryName.check(type, place + "type") }
        let members = json["fields"]?.members ?? []
        guard members.count <= Limits.fieldCountMax else {
            throw .invalid(place + "fields", "a record has at most \(Limits.fieldCountMax) fields")
        }
        var assigned: [(name: String, value: FieldValue)] = []
        for member in members {
            let field = place + "fields." + member.name
            try MemoryName.check(member.name, field)
            assigned.append((member.name, try FieldValue(member.value, at: field, sizes: sizes)))
        }
        self.assigned = assigned
        removed = json["remove"]?.elements?.compactMap(\.text) ?? []
        var increments: [(name: String, amount: Int64)] = []
        for member in json["increment"]?.members ?? [] {
            let field = place + "increment." + member.name
            try MemoryName.check(member.name, field)
            guard case .integer(let amount)? = RecordValue(json: member.value) else {
                throw .invalid(field, "an integer is expected")
            }
            increments.append((member.name, amount))
        }
        self.increments = increments
        insertions = try Self.elements(json["add_to"], at: place + "add_to", sizes)
        withdrawals = try Self.elements(json["remove_from"], at: place + "remove_from", sizes)
    }

    private static func elements(
        _ json: JSONValue?,
        at path: String,
        _ sizes: [String: UInt64]
    ) throws(MemoryRefusal) -> [(name: String, elements: [FieldValue])] {
        var changes: [(name: String, elements: [FieldValue])] = []
        for member in json?.members ?? [] {
            let field = path + "." + member.name
            try MemoryName.check(member.name, field)
            guard case .set(let state) = try FieldValue(["$set": member.value], at: field, sizes: sizes) else {
                throw .invalid(field, "an array is expected")
            }
            changes.append((member.name, state.entries.map(\.element)))
        }
        return changes
    }

    /// Makes the checks of the daemon that do not depend on the record.
    /// - Throws: `invalid_argument`.
    func check() throws(MemoryRefusal) {
        // A record received from elsewhere, under a name that no program here may give, can still be deleted.
        guard !isDeletion else { return try checkVersion() }
        try MemoryName.check(name, "a record's name")
        if let type, MemoryName.isReserved(type) {
            throw .invalid("type", "records of types that begin with kairan. are written by the daemon alone")
        }
        try checkVersion()
    }

    private func checkVersion() throws(MemoryRefusal) {
        guard let ifVersion, !ifVersion.isEmpty, MemoryRecord.position(ifVersion) == nil else { return }
        throw .invalid("if_version", "\"\(ifVersion)\" is not a version")
    }

    /// The record after the write.
    /// - Parameters:
    ///   - before: The current record, even if it is deleted.
    ///   - fresh: The record if it is new, with the position and the time of the write.
    /// - Returns: The record.
    /// - Throws: The refusal; ``MemoryCore/told(_:of:in:sent:)`` adds the state of the record to it.
    func applied(
        to before: MemoryRecord?,
        as fresh: MemoryRecord
    ) throws(MemoryRefusal) -> MemoryRecord {
        let existing = before.flatMap { $0.isDeleted ? nil : $0 }
        if let ifVersion, ifVersion != existing?.version ?? "" {
            throw .changed(name, current: nil, ancestor: nil)
        }
        var record = fresh
        record.isDeleted = isDeletion
        record.type = existing?.type ?? type ?? "Record"
        record.isRetyped = before.map { $0.isRetyped || !$0.type.isSameName(as: record.type) } ?? false
        guard !isDeletion else {
            guard existing != nil else { throw .recordUnknown(name) }
            return record
        }
        if let type, !type.isSameName(as: record.type) {
            throw .invalid("type", "\"\(name)\" has the type \(record.type)")
        }
        record.fields = try fields(existing?.fields ?? [:])
        switch parent {
        case .keep: record.parent = existing?.parent
        case .become(let name): record.parent = name
        }
        let byteCount = record.fields.reduce(0) { $0 + $1.key.string.utf8.count + $1.value.encoded.count }
        guard byteCount <= MemoryRecord.byteCountMax else { throw .recordTooLarge(name, byteCount) }
        guard record.fields.count <= Limits.fieldCountMax else {
            throw .invalid("fields", "a record has at most \(Limits.fieldCountMax) fields")
        }
        return record
    }

    // MARK: Fields

    private func fields(
        _ held: [BytewiseString: FieldValue]
    ) throws(MemoryRefusal) -> [BytewiseString: FieldValue] {
        let edits = try edits(held)
        var fields = replacesAll ? [:] : held
        for (name, edit) in edits {
            let value = held[name]
            switch edit {
            case .assign(let new): fields[name] = new
            case .remove: fields[name] = nil
            case .increment(let amount):
                guard value == nil || value?.isCounter == true else { throw wrongKind(name) }
                fields[name] = .counter(of: (value?.sum ?? 0) &+ amount)
            case .change(let inserted, let withdrawn):
                guard value == nil || value?.isSet == true else { throw wrongKind(name) }
                let kept = (value?.elements ?? []).filter { !withdrawn.contains($0) }
                fields[name] = .set(of: kept + inserted)
            }
        }
        return fields
    }

    private func wrongKind(_ field: BytewiseString) -> MemoryRefusal {
        .invalid(field.string, "it holds another kind of value")
    }

    /// Returns the edit of each field: an assignment to a counter or a set becomes the amounts and elements added and
    /// removed.
    private func edits(
        _ held: [BytewiseString: FieldValue]
    ) throws(MemoryRefusal) -> [BytewiseString: Edit] {
        var edits: [BytewiseString: Edit] = [:]
        var sets: [BytewiseString: (inserted: [FieldValue], withdrawn: [FieldValue])] = [:]
        func add(_ edit: Edit, to field: BytewiseString) throws(MemoryRefusal) {
            guard edits.updateValue(edit, forKey: field) == nil else {
                throw .invalid(field.string, "the write has two changes of it")
            }
        }
        for (name, value) in assigned {
            let field = BytewiseString(name)
            switch value {
            case .counter(let wanted): try add(.increment(wanted.value &- (held[field]?.sum ?? 0)), to: field)
            case .set(let wanted):
                let (elements, present) = (wanted.entries.map(\.element), held[field]?.elements ?? [])
                sets[field, default: ([], [])].inserted += elements
                sets[field, default: ([], [])].withdrawn += present.filter { !elements.contains($0) }
            default: try add(.assign(value), to: field)
            }
        }
        for name in removed { try add(.remove, to: BytewiseString(name)) }
        for (name, amount) in increments { try add(.increment(amount), to: BytewiseString(name)) }
        for (name, elements) in insertions { sets[BytewiseString(name), default: ([], [])].inserted += elements }
        for (name, elements) in withdrawals { sets[BytewiseString(name), default: ([], [])].withdrawn += elements }
        for (field, change) in sets {
            try add(.change(inserted: change.inserted, withdrawn: change.withdrawn), to: field)
        }
        return edits
    }
}

extension FieldValue {
    fileprivate var isCounter: Bool { if case .counter = self { true } else { false } }
    fileprivate var isSet: Bool { if case .set = self { true } else { false } }
    fileprivate var sum: Int64 { if case .counter(let state) = self { state.value } else { 0 } }
    fileprivate var elements: [FieldValue] {
        if case .set(let state) = self { state.entries.map(\.element) } else { [] }
    }
}
