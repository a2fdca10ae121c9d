/// What saving a record sets, and what it asks for first.
///
/// Fields that the type does not name stay whatever the policy: an older application does not drop what a newer one added.
public enum SavePolicy: Sendable, Hashable {
    /// Sets what differs from the record as it was read, and removes what has become nil. Fields that others have changed
    /// in the meantime stay as they made them. Of counters and sets it writes what was added and taken away, so that what
    /// others added in the meantime counts too.
    case changedKeys
    /// Sets all fields of the type and removes those that are nil, whatever others have written in the meantime; counters and
    /// sets too.
    case allKeys
    /// As ``changedKeys``, but refuses with `record.version_mismatch` if the record is not any more as it was read, or if it
    /// is new and exists.
    case ifUnchanged
}
