import FuzzKit
import Wire

extension [RecordField] {
    /// Returns the fields with another value of one of them, under the dots that it has.
    func changing(_ name: String, to value: FieldValue) -> [RecordField] {
        map { field in
            guard field.name == name else { return field }
            let entries = field.entries.map { FieldEntry(dot: $0.dot, time: $0.time, value: value) }
            return RecordField(name: name, entries: entries)
        }
    }

    /// Returns the fields with other bytes in one of them.
    func changing(_ name: String, _ program: inout FuzzInput) -> [RecordField] {
        let value = first { $0.name == name }?.entries.first?.value
        guard case .bytes(let bytes)? = value else { return self }
        return changing(name, to: .bytes(program.mutate(bytes)))
    }
}
