import Records
import Sync
import Wire

// The readable content of a record in a store that lacks some keys.
extension Judge {
    /// Whether an operation is sealed under a key that is not open in a store.
    func isUnread(_ entry: OperationLibrary.Entry, in store: MemoryStore) -> Bool {
        let epoch = entry.operation.header.epoch
        return !epoch.isZero && store.keyring.key(epoch) == nil
    }

    /// Whether a live operation of a record cannot be read in a store.
    ///
    /// The store can know neither its content nor the operations that it replaces, and no application builds on it.
    func isHidden(_ tag: RecordTag, zone: ZoneRow, reaches: [LogKey: LogReach], store: MemoryStore) throws -> Bool {
        let operations = try counting(tag, zone: zone, reaches: reaches, store: store)
        return ReferenceModel.live(operations).contains(where: \.isUnread)
    }

    /// The operations that determine the content of a record that a store must show.
    ///
    /// All effective ones; where some cannot be read, the readable live ones; `nil` where no live one can be read:
    /// then the store shows the previous content.
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
