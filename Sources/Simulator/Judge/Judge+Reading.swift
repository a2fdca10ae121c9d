import Records
import Sync
import Wire

// What can be read of a record where not all keys are open.
extension Judge {
    /// Whether an operation is sealed under a key that is not open in a store.
    func isUnread(_ entry: OperationLibrary.Entry, in store: MemoryStore) -> Bool {
        let epoch = entry.operation.header.epoch
        return !epoch.isZero && store.keyring.key(epoch) == nil
    }

    /// Whether something that is live of a record cannot be read in a store: what that is, or what it replaces, cannot be known
    /// there, and nobody builds on it.
    func isHidden(_ tag: RecordTag, zone: ZoneRow, reaches: [LogKey: LogReach], store: MemoryStore) throws -> Bool {
        let operations = try counting(tag, zone: zone, reaches: reaches, store: store)
        return ReferenceModel.live(operations).contains(where: \.isUnread)
    }

    /// The operations that say what a store has to show of a record.
    ///
    /// All that count; where some cannot be read, those of the live ones that can; `nil` where none of them can: then it shows
    /// what it showed before.
    func readable(
        _ tag: RecordTag,
        zone: ZoneRow,
        reaches: [LogKey: LogReach],
        store: MemoryStore
    ) throws -> [ReferenceOperation]? {
        let operations = try counting(tag, zone: zone, reaches: reaches, store: store)
        guard operations.contains(where: \.isUnread) else { return operations }
        let live = ReferenceModel.live(operations)
        let read = live.filter { !$0.isUnread }
        return read.isEmpty && !live.isEmpty ? nil : read
    }
}
