import Sodium
import Wire

/// Makes the operation of one local write: the record's whole new state on top of its live operations here.
struct WriteBuilder {
    let write: RecordWrite
    /// The record's live operations merged; nil when there are none.
    let current: MergedRecord?
    let author: Author
    /// The guest on whose behalf it is written, if not for the author.
    let guest: GuestAuthor?
    /// The operation's own dot.
    let dot: Dot
    let time: HybridTime

    /// The record before the write, if it exists for its readers.
    private var existing: MergedRecord? {
        current.flatMap { $0.isDeleted ? nil : $0 }
    }

    /// The record's new body.
    /// - Throws: `WriteRefusal`.
    func body() throws(WriteRefusal) -> RecordBody {
        try checkConditions()
        let type = try newType()
        if let guest, !guest.mayWrite(type, write.name, existing?.creator) { throw .notAllowed }
        let fields = write.delete ? [] : try newFields()
        let body = RecordBody(
            name: write.name,
            type: type,
            isDeleted: write.delete,
            parent: parent,
            creator: existing?.creator ?? guest?.device ?? author.device,
            modifier: author.device,
            fields: fields,
            unknownExtension: write.delete || write.takesBack ? [] : existing?.unknownExtension ?? []
        )
        return body
    }

    /// The write that created the record: the record's own, or this one when it is new or was deleted.
    var creation: Dot { existing?.creation ?? dot }

    /// Encodes a body after making sure that every replica can decode it.
    /// - Throws: `.invalid`, `.tooLarge`.
    static func encode(_ body: RecordBody) throws(WriteRefusal) -> [UInt8] {
        let bytes = body.encoded
        let limit = ReplicaLimits.recordByteCountMax
        guard bytes.count <= limit else { throw .tooLarge(byteCount: bytes.count, limit: limit) }
        do {
            _ = try RecordBody(decoding: bytes)
        } catch {
            throw .invalid(error)
        }
        return bytes
    }

    private func checkConditions() throws(WriteRefusal) {
        if let expected = write.ifVersion, existing?.version != expected {
            throw .versionMismatch(current: existing?.version)
        }
        if write.ifAbsent, let existing { throw .alreadyExists(current: existing.version) }
        if write.delete, existing == nil { throw .notFound }
    }

    private func newType() throws(WriteRefusal) -> String {
        guard let existing else {
            guard let type = write.type else { throw .typeMissing }
            return type
        }
        if let type = write.type, !type.isBytewiseEqual(to: existing.type) {
            if write.takesBack { return type }
            throw .typeMismatch(current: existing.type)
        }
        // Programs cannot name such a type, so they cannot change records that daemons wrote either; every program
        // may delete them.
        if write.type == nil, !write.delete, ReservedType.isReserved(existing.type) {
            throw .typeMismatch(current: existing.type)
        }
        return existing.type
    }

    private var parent: String? {
        switch write.parent {
        case .set(let name): name
        case .clear: nil
        case .keep: write.delete || write.takesBack ? nil : existing?.parent
        }
    }

    // MARK: Fields

    private func newFields() throws(WriteRefusal) -> [RecordField] {
        let edits = try FieldEdits(write)
        var fields: [RecordField] = []
        var edited: Set<BytewiseString> = []
        for field in existing?.fields ?? [] {
            let name = BytewiseString(field.name)
            if let edit = edits.byName[name] {
                edited.insert(name)
                if let value = try edit.apply(to: field, named: field.name, dot: dot) {
                    fields.append(RecordField(name: field.name, entries: [entry(value)]))
                }
            } else if !write.replaceAll {
                fields.append(RecordField(name: field.name, entries: carried(field)))
            }
        }
        for (name, edit) in edits.byName.sorted(by: { $0.key < $1.key }) where !edited.contains(name) {
            if let value = try edit.apply(to: nil, named: name.string, dot: dot) {
                fields.append(RecordField(name: name.string, entries: [entry(value)]))
            }
        }
        return fields
    }

    /// The entries of a field that the write does not touch: all surviving values stay, unless the write has seen the
    /// conflict.
    ///
    /// A counter or set that was merged from several writes is stated again, since no write has stated it yet.
    private func carried(_ field: MergedField) -> [FieldEntry] {
        if field.isFolded { return [entry(field.winner.value)] }
        let hasSeenConflict = write.ifVersion != nil || write.resolve
        return hasSeenConflict ? [field.winner] : field.entries
    }

    private func entry(_ value: FieldValue) -> FieldEntry {
        FieldEntry(dot: dot, time: time, value: value)
    }
}

/// A write's changes to the fields that it names.
private struct FieldEdits {
    var byName: [BytewiseString: FieldEdit] = [:]

    init(_ write: RecordWrite) throws(WriteRefusal) {
        for assignment in write.set {
            switch assignment.value {
            case .counter, .set: throw .wrongKind(field: assignment.field)
            default: try add(.assign(assignment.value), to: assignment.field)
            }
        }
        for name in write.remove {
            try add(.remove, to: name)
        }
        for increment in write.increments {
            try add(.increment(increment.amount), to: increment.field)
        }
        // Elements may enter and leave one set in one write.
        var sets: [BytewiseString: (inserted: [FieldValue], withdrawn: [FieldValue])] = [:]
        for elements in write.insertions {
            sets[BytewiseString(elements.field), default: ([], [])].inserted += elements.values
        }
        for elements in write.withdrawals {
            sets[BytewiseString(elements.field), default: ([], [])].withdrawn += elements.values
        }
        for (name, change) in sets.sorted(by: { $0.key < $1.key }) {
            guard (change.inserted + change.withdrawn).allSatisfy(\.isSetElement) else {
                throw .wrongKind(field: name.string)
            }
            try add(.change(inserted: change.inserted, withdrawn: change.withdrawn), to: name.string)
        }
    }

    private mutating func add(_ edit: FieldEdit, to name: String) throws(WriteRefusal) {
        guard byName.updateValue(edit, forKey: BytewiseString(name)) == nil else { throw .ambiguousField(name) }
    }
}

/// A change of one field.
private enum FieldEdit {
    case assign(FieldValue)
    case remove
    case increment(Int64)
    case change(inserted: [FieldValue], withdrawn: [FieldValue])

    /// The field's new value; nil when it is removed.
    func apply(to field: MergedField?, named name: String, dot: Dot) throws(WriteRefusal) -> FieldValue? {
        switch self {
        case .assign(let value):
            return value
        case .remove:
            return nil
        case .increment(let amount):
            guard let field else { return .counter(CounterState(entries: []).adding(amount, by: dot)) }
            guard field.entries.count == 1, case .counter(let state) = field.winner.value else {
                throw .wrongKind(field: name)
            }
            return .counter(state.adding(amount, by: dot))
        case .change(let inserted, let withdrawn):
            var state = SetState(entries: [])
            if let field {
                guard field.entries.count == 1, case .set(let held) = field.winner.value else {
                    throw .wrongKind(field: name)
                }
                state = held
            }
            return .set(state.changed(inserting: inserted, withdrawing: withdrawn, by: dot))
        }
    }
}

extension CounterState {
    /// The state after one more addition by a write.
    fileprivate func adding(_ amount: Int64, by dot: Dot) -> CounterState {
        let held = entries.first { $0.actor == dot.actor }
        let earlier = held?.total ?? 0
        let own = Entry(actor: dot.actor, counter: dot.counter, total: earlier &+ amount)
        return CounterState(entries: entries.filter { $0.actor != dot.actor } + [own])
    }
}

extension SetState {
    /// The state after a write: withdrawn elements lose all dots seen, inserted ones have only its dot.
    fileprivate func changed(inserting: [FieldValue], withdrawing: [FieldValue], by dot: Dot) -> SetState {
        var elements: [FieldValue: [Dot]] = [:]
        for entry in entries {
            elements[entry.element] = entry.dots
        }
        for element in withdrawing {
            elements[element] = nil
        }
        for element in inserting {
            elements[element] = [dot]
        }
        return SetState(entries: elements.map { Entry(element: $0.key, dots: $0.value) })
    }
}
