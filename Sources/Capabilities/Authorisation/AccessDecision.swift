package import Wire

/// The answer to an ``AccessRequest``.
package enum AccessDecision: Hashable, Sendable {
    /// Yes, by this right: an ownership's or capability's id, or the operation on public access; zero for the first owner.
    case allowed(under: Hash)
    /// No.
    case refused(AccessRefusal)
    /// Not before something is known.
    case waiting(for: WaitReason)
}

/// Why something may not be done.
package enum AccessRefusal: Hashable, Sendable {
    /// The account does not know the device.
    case unknownDevice
    /// The device was removed from its account.
    case removedDevice
    /// The device's role allows less.
    case deviceRole
    /// The account takes no part in the zone.
    case notParticipant
    /// The capabilities give less than this level.
    case needs(AccessLevel)
    /// The capabilities may not be delegated.
    case needsDelegation
    /// The capability to be ended does not descend from one's own.
    case notDescendant
    /// Only the owner may.
    case ownerOnly
    /// An owner hands the zone over instead.
    case ownerLeaves
    /// Neither owner of a pair zone may do it.
    case pairZone
    /// The capability is for other types of records.
    case recordType
    /// The capability is for records with other names.
    case recordName
    /// The capability's time has not come.
    case notYetValid(at: UInt64)
    /// The capability's time is over.
    case expired(at: UInt64)
    /// The right that the log is written under never held.
    case rightVoid

    /// A stable name.
    package var code: String {
        switch self {
        case .unknownDevice: "unknown_device"
        case .removedDevice: "removed_device"
        case .deviceRole: "device_role"
        case .notParticipant: "not_participant"
        case .needs: "level_too_low"
        case .needsDelegation: "may_not_delegate"
        case .notDescendant: "not_descendant"
        case .ownerOnly: "owner_only"
        case .ownerLeaves: "owner_leaves"
        case .pairZone: "pair_zone"
        case .recordType: "record_type"
        case .recordName: "record_name"
        case .notYetValid: "not_yet_valid"
        case .expired: "expired"
        case .rightVoid: "right_void"
        }
    }
}
