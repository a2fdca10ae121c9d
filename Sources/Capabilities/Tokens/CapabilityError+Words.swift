import Wire

extension CapabilityError: CustomStringConvertible {
    /// The reason, for logs and as a part of a sentence.
    package var description: String {
        switch self {
        case .tooLarge: "the capability has more bytes than one may have"
        case .malformed(let error): "the capability cannot be read: \(error)"
        case .badSignature: "the capability's signature is not its signer's"
        case .unknownSigner(let device):
            "the device \(device.shortText), which signed the capability, was never one of its issuer's"
        case .unknownAccount(let account):
            "the devices of the account \(account.shortText), which issued the capability, are not known here"
        case .wrongParent: "the capability names another parent than the one above it"
        case .notRoot: "the chain of capabilities does not begin with one that the owner issued"
        case .tooLong: "the right has been delegated more often than it may be"
        case .wrongResource: "the capability is for something else than its parent"
        case .wrongAudience: "the capability's issuer is not the account that its parent was issued to"
        case .widened(let aspect): "the capability gives more than its parent: \(aspect)"
        case .expired: "the capability has expired"
        case .notYetValid: "the capability is not valid yet"
        }
    }
}

extension CapabilityError.Aspect: CustomStringConvertible {
    /// The part of a sentence that names the aspect in which it gives more.
    package var description: String {
        switch self {
        case .delegation: "the parent may not be delegated"
        case .depth: "it may be delegated as many times in a row as the parent, or more"
        case .level: "its level is higher"
        case .types: "it is for record types that the parent does not name"
        case .prefix: "it is for names that the parent does not cover"
        case .notBefore: "it begins earlier"
        case .expiry: "it ends later"
        }
    }
}
