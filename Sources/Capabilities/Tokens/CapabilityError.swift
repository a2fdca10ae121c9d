package import Wire

/// Why a capability, or a chain of them, is worth nothing.
///
/// A verdict on the bytes of a capability and its ancestors is the same on every replica and for ever. `unknownSigner`,
/// `unknownAccount`, `notRoot`, `expired` and `notYetValid` depend on the accounts known here, the owner and the time.
package enum CapabilityError: Error, Equatable, Sendable {
    /// It has more bytes than a signed capability may have.
    case tooLarge
    /// The bytes are no capability.
    case malformed(WireError)
    /// The signature is not the signer's.
    case badSignature
    /// The signing device never belonged to the issuer.
    case unknownSigner(DeviceID)
    /// The issuer's devices are not known here; the check may be repeated once its account log is here.
    case unknownAccount(AccountID)
    /// It names another parent than the capability that stands above it.
    case wrongParent
    /// The first capability of the chain has a parent, or the owner did not issue it.
    case notRoot
    /// The chain has more than eight capabilities.
    case tooLong
    /// Its resource differs from that of its parent.
    case wrongResource
    /// Its issuer is not the account that its parent was issued to.
    case wrongAudience
    /// It gives more than its parent does.
    case widened(Aspect)
    /// It is valid no more, since the moment named (milliseconds since 1970).
    case expired(at: UInt64)
    /// It is not valid before the moment named (milliseconds since 1970).
    case notYetValid(at: UInt64)

    /// The aspect in which a capability gives more than its parent.
    package enum Aspect: String, CaseIterable, Sendable {
        /// The parent may not be delegated at all.
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
}
