/// The fields that saving a record sets, and the condition under which it does so.
///
/// Every policy leaves fields alone that the type does not name, so an older application does not drop fields of a
/// newer one.
public enum SavePolicy: Sendable, Hashable {
    /// Sets the fields that differ from the record as it was read, and removes those that have become nil. Other
    /// fields keep the values that other devices have written in the meantime. For counters and sets, it writes the
    /// additions and removals, so that concurrent additions by other devices are kept.
    case changedKeys
    /// Sets all fields of the type and removes those that are nil, whatever other devices have written in the
    /// meantime. This includes counters and sets.
    case allKeys
    /// Like ``changedKeys``, but refuses with `record.version_mismatch` if the record has changed since it was read,
    /// or if a new record already exists.
    case ifUnchanged
}
