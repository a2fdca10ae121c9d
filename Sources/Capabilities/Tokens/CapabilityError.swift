package import Wire

/// Why a capability, or a chain of them, is worth nothing.
///
/// Verdicts on the bytes alone, which every replica gives alike and for ever, are those with
/// ``CapabilityError/isLasting``. The others depend on what is known here and now: whose devices and which ancestors,
/// who the owner is, and what time it is.
package enum CapabilityError: Error, Equatable, Sendable {
    /// It has more bytes than a signed capability may have.
    case tooLarge
    /// The bytes are no capability.
    case malformed(WireError)
    /// The signature is not the signer's.
    case badSignature
    /// The device that signs was never one of the issuer's.
    case unknownSigner(DeviceID)
    /// What devices the issuer has is not known here; with its account log it may be tried again.
    case unknownAccount(AccountID)
    /// The capability that it is a part of is not here; with that one it may be tried again.
    case missingParent(Hash)
    /// It names another parent than the capability that stands above it.
    case wrongParent
    /// What begins the chain is part of another capability, or the owner did not issue it.
    case notRoot
    /// The chain has more than eight capabilities.
    case tooLong
    /// It is a right to something else than its parent is.
    case wrongResource
    /// Its issuer is not the account that its parent was issued to.
    case wrongAudience
    /// It gives more than its parent does.
    case widened(Aspect)
    /// It is valid no more, since the moment named (milliseconds since 1970).
    case expired(at: UInt64)
    /// It is not valid before the moment named (milliseconds since 1970).
    case notYetValid(at: UInt64)

    /// In what a capability gives more than its parent.
    package enum Aspect: String, CaseIterable, Sendable {
        /// The parent may not be handed on at all.
        case delegation
        /// As many steps below as the parent allows, or more.
        case depth
        /// A higher level.
        case level
        /// A record type that the parent does not name.
        case types
        /// Names that do not begin with the parent's prefix.
        case prefix
        /// It begins earlier.
        case notBefore = "not_before"
        /// It ends later.
        case expiry
    }
}

extension CapabilityError {
    /// A stable name for programs and logs.
    package var code: String {
        switch self {
        case .tooLarge: "capability_too_large"
        case .malformed: "capability_malformed"
        case .badSignature: "capability_bad_signature"
        case .unknownSigner: "capability_unknown_signer"
        case .unknownAccount: "capability_unknown_account"
        case .missingParent: "capability_missing_parent"
        case .wrongParent: "capability_wrong_parent"
        case .notRoot: "capability_not_root"
        case .tooLong: "capability_too_long"
        case .wrongResource: "capability_wrong_resource"
        case .wrongAudience: "capability_wrong_audience"
        case .widened: "capability_widened"
        case .expired: "capability_expired"
        case .notYetValid: "capability_not_yet_valid"
        }
    }

    /// What the peer is told who presented it.
    package var peerCode: CapabilityPeerCode {
        switch self {
        case .unknownAccount, .missingParent: .incomplete
        case .expired, .notYetValid: .notCurrent
        case .tooLarge, .malformed, .badSignature, .unknownSigner, .wrongParent, .notRoot, .tooLong, .wrongResource,
            .wrongAudience, .widened:
            .invalid
        }
    }

    /// Whether it follows from the bytes of the capability and of its ancestors alone, which their ids fix.
    var isLasting: Bool {
        switch self {
        case .tooLarge, .malformed, .badSignature, .wrongParent, .tooLong, .wrongResource, .wrongAudience, .widened:
            true
        case .unknownSigner, .unknownAccount, .missingParent, .notRoot, .expired, .notYetValid:
            false
        }
    }
}

/// The little that a peer is told of why its capability is refused.
///
/// It can act on these three and on nothing finer. What is known here of accounts and tokens stays here.
package enum CapabilityPeerCode: String, CaseIterable, Sendable {
    /// It will never be accepted: get another one.
    case invalid = "capability_invalid"
    /// Something that it rests on is not here: send that too.
    case incomplete = "capability_incomplete"
    /// It is outside of its time: wait, or get another one.
    case notCurrent = "capability_not_current"
}
