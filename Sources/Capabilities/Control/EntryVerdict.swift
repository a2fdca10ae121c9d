package import Wire

/// The verdict on a control operation.
package enum EntryVerdict: Hashable, Sendable {
    /// It is effective.
    case counts
    /// It is void on every replica that holds the same operations and the same accounts.
    case void(VoidReason)
    /// It cannot be decided yet.
    case waiting(WaitReason)
}

/// The fact that has to be known before something can be decided.
package enum WaitReason: Hashable, Sendable {
    /// The log of an account.
    case account(AccountID)
    /// The grant of a capability.
    case capability(Hash)

    /// A stable name.
    package var code: String {
        switch self {
        case .account: "account_unknown"
        case .capability: "capability_unknown"
        }
    }
}

/// The reason why a control operation, or a capability in it, is ineffective.
package enum VoidReason: Hashable, Sendable {
    /// The account does not know the device.
    case notOfAccount
    /// The device's role lets it rule nothing.
    case deviceRole
    /// It lies above the cut of its log.
    case aboveCut
    /// The right that its log is written under never held.
    case rightVoid
    /// Only the owner may state this.
    case ownerOnly
    /// The right does not reach so far.
    case needs(AccessLevel)
    /// An owner leaves by transferring the zone.
    case ownerLeaves
    /// Another transfer of the same ownership came first.
    case lostTransfer(to: Hash)
    /// The zone is handed to the account that owns it.
    case alreadyOwner
    /// The account that a transfer names has not consented to own the zone after this ownership.
    case noConsent
    /// Neither owner of a pair zone may state this.
    case pairZone
    /// The grant was made without a checkpoint in view, and none covers it.
    case notFinal(checkpoint: Hash)
    /// The capability is not for this zone.
    case wrongResource
    /// The capability's parent is not the right that its grant is written under.
    case wrongParent
    /// The capability's issuer is not the account that grants it.
    case wrongIssuer
    /// The issuing account does not know the capability's signer, or not as one with all rights.
    case unknownSigner
    /// The capability's signature is not valid.
    case badSignature
    /// The capability gives more than its parent has.
    case widened(CapabilityError.Aspect)
    /// The capability to be ended does not descend from the revoker's right.
    case notDescendant

    /// A stable name.
    package var code: String {
        switch self {
        case .notOfAccount: "not_of_account"
        case .deviceRole: "device_role"
        case .aboveCut: "above_cut"
        case .rightVoid: "right_void"
        case .ownerOnly: "owner_only"
        case .needs: "level_too_low"
        case .ownerLeaves: "owner_leaves"
        case .lostTransfer: "transfer_lost"
        case .alreadyOwner: "already_owner"
        case .noConsent: "no_consent"
        case .pairZone: "pair_zone"
        case .notFinal: "not_final"
        case .wrongResource: "capability_wrong_resource"
        case .wrongParent: "capability_wrong_parent"
        case .wrongIssuer: "capability_wrong_issuer"
        case .unknownSigner: "capability_unknown_signer"
        case .badSignature: "capability_bad_signature"
        case .widened: "capability_widened"
        case .notDescendant: "capability_not_descendant"
        }
    }
}

/// An ineffective part of a control operation, which may itself be effective.
package struct VoidPart: Hashable, Sendable {
    /// The operation.
    package let entry: Hash
    /// The capability that is granted or ended in vain.
    package let capability: Hash
    /// Why.
    package let reason: VoidReason

    /// By operation, then by capability.
    static func < (left: Self, right: Self) -> Bool {
        if left.entry != right.entry { return left.entry < right.entry }
        // One capability may be void in an operation for two reasons, as one that it grants and one that it ends.
        return left.capability == right.capability
            ? left.reason.code < right.reason.code : left.capability < right.capability
    }
}

extension ControlState {
    /// Returns the ineffective parts of an operation.
    /// - Parameter entry: The operation.
    /// - Returns: By capability; nothing of an operation that is not held.
    /// - Complexity: O(log n), and the parts.
    package func parts(of entry: Hash) -> ArraySlice<VoidPart> {
        voidParts[voidParts.partitioningIndex { $0.entry < entry }...].prefix { $0.entry == entry }
    }
}
