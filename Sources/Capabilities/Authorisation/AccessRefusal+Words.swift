import Wire

extension AccessRefusal: CustomStringConvertible {
    /// The reason, for logs and as a part of a sentence.
    package var description: String {
        switch self {
        case .unknownDevice: "the account does not know the device"
        case .removedDevice: "the device was removed from its account"
        case .deviceRole: "the device's role does not allow it"
        case .notParticipant: "the account is not a participant of the zone"
        case .needs(let level): "it needs the right to \(level)"
        case .needsDelegation: "the right may not be delegated"
        case .notDescendant: "the right does not descend from the account's own"
        case .ownerOnly: "only the zone's owner may do it"
        case .ownerLeaves: "an owner cannot leave its own zone"
        case .pairZone: "the zone belongs to two accounts, and neither may do it alone"
        case .recordType: "the right is for other record types"
        case .recordName: "the right is for records with other names"
        case .notYetValid: "the right is not valid yet"
        case .expired: "the right has expired"
        case .rightVoid: "the right that the log is written under was never valid"
        }
    }
}

extension WaitReason: CustomStringConvertible {
    /// The part of a sentence that says which fact is missing.
    package var description: String {
        switch self {
        case .account(let account): "the log of the account \(account.shortText)"
        case .capability(let hash): "the grant of the capability \(hash.shortText)"
        }
    }
}
