package import Capabilities
package import Records
package import Wire

/// Why the node does not do to its store what it was asked to.
///
/// Beside it the functions of ``Committer`` throw `ReplicaError` and what the storage throws.
package enum CommitError: Error, Sendable {
    /// A peer told of a zone that is not of this account, or whose id is not the hash of its genesis.
    case foreignZone(ZoneID)
    /// A run whose author the account log does not know; account entries always travel first.
    case unknownAuthor(DeviceID)
    /// It cannot be told yet whose log this is: something else has to come first.
    case waiting(WaitReason)
    /// A log of which nothing is held may not begin, as things stand here.
    case noRoom(LogKey, LaneRoom.Refusal)
    /// The account's log, as it is known here, does not say from which key zones with it are derived.
    case noPairKey(AccountID)
    /// The account has no right in the zone, or not any more.
    case noRight(ZoneID)
    /// The account's right in the zone does not reach so far.
    case refused(AccessRefusal)
    /// Nothing can be sealed in the zone: no key is here that those have who may read, and only those; or there is none to
    /// rotate, because everybody may read the zone.
    case noKey(ZoneID)
    /// So many rights descend from those that are revoked; one operation grants at most `Limits.regrantCountMax` anew.
    case tooManyRegrants(Int)
    /// The zone is offered to nobody, or not to the account that answers.
    case notOffered(ZoneID)
    /// A message that is not sent.
    case message(MessageRefusal)
    /// A record of a left account that cannot be written again; nothing of its zone was moved.
    case notMoved(record: String, WriteRefusal)
}
