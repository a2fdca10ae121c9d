package import Capabilities
package import Records
package import Wire

/// The reason why the node refuses an operation on its store.
///
/// Besides it the types that hold a ``Committer`` throw `ReplicaError` and any error of the storage.
package enum CommitError: Error, Sendable {
    /// A peer announced a zone that is not of this account, or whose id is not the hash of its genesis.
    case foreignZone(ZoneID)
    /// The account of this log's author, or its device, is not known yet: other operations must come first.
    case waiting(WaitReason)
    /// A log that is not held here may not begin, by the present state of this store.
    case noRoom(LogKey, LaneRoom.Refusal)
    /// The account's log, as it is known here, does not state the key from which zones with it are derived.
    case noPairKey(AccountID)
    /// The account has no right in the zone, or not any more.
    case noRight(ZoneID)
    /// The account's right in the zone does not reach so far.
    case refused(AccessRefusal)
    /// Nothing can be sealed in the zone: this device has no key that exactly the readers have; or there is none to
    /// rotate, because everyone may read the zone.
    case noKey(ZoneID)
    /// So many rights descend from those that are revoked; one operation grants at most `Limits.regrantCountMax` again.
    case tooManyRegrants(Int)
    /// The zone is not offered, or not to the account that answers.
    case notOffered(ZoneID)
    /// A message that is not sent.
    case message(MessageRefusal)
    /// A record of a left account that cannot be written again; nothing of its zone was moved.
    case notMoved(record: String, WriteRefusal)
}
