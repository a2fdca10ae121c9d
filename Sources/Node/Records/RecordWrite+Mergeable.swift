import Records
import Wire

// A program gives the wanted value of a counter or a set; the write has the change to it, so that concurrent changes
// add up instead of overwriting each other.
extension RecordWrite {
    /// Whether any field is to be a counter or a set.
    var hasMergeable: Bool {
        self.set.contains { assignment in
            switch assignment.value {
            case .counter, .set: true
            default: false
            }
        }
    }

    /// Returns the write with counters and sets turned into changes of the record's present values.
    /// - Parameter body: The record as it is; `nil` when it does not exist.
    /// - Returns: A write without counters and sets among its assignments.
    func changing(_ body: RecordBody?) -> RecordWrite {
        var write = self
        write.set = []
        for assignment in set {
            let current = body?.field(named: assignment.field)?.winner?.value
            switch assignment.value {
            case .counter(let wanted):
                var value: Int64 = 0
                if case .counter(let state) = current { value = state.value }
                write.increments.append(
                    CounterIncrement(field: assignment.field, amount: wanted.value &- value)
                )
            case .set(let wanted):
                var held: [FieldValue] = []
                if case .set(let state) = current { held = state.entries.map(\.element) }
                let elements = wanted.entries.map(\.element)
                let (new, old) = (elements.filter { !held.contains($0) }, held.filter { !elements.contains($0) })
                if !new.isEmpty || old.isEmpty {
                    write.insertions.append(SetElements(field: assignment.field, values: new))
                }
                if !old.isEmpty { write.withdrawals.append(SetElements(field: assignment.field, values: old)) }
            default:
                write.set.append(assignment)
            }
        }
        return write
    }
}
