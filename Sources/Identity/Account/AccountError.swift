package import Wire

/// Why an entry is not taken into an account log, or cannot be made.
///
/// All but ``missingParents(_:)`` and ``full`` are verdicts on the entry's own bytes and its ancestors, so every
/// replica gives the same one.
package enum AccountError: Error, Equatable, Sendable {
    /// The bytes are no entry.
    case malformed(WireError)

    /// The first entry of a log is no genesis.
    case notGenesis

    /// The entry belongs to another account, or starts one.
    case otherAccount

    /// Entries that it names are not here yet; with them it may be tried again.
    case missingParents([Hash])

    /// It names a parent together with one of that parent's ancestors, which no author does that names heads.
    case parentsNotHeads

    /// No ancestor gives the author the right to write: it was never added, or not with the role *full*.
    case authorNotAdded

    /// The signature is not the author's.
    case badSignature

    /// The certificate of the device that it adds is not valid.
    case badCertificate(CertificateError)

    /// It removes a device that none of its ancestors added.
    case unknownDevice(DeviceID)

    /// A removal's cut names an entry that is not among its ancestors.
    case cutOutsidePast(Hash)

    /// Only the recovery key can put another recovery key in its place.
    case needsRecoveryKey

    /// There is no room for an effective entry: the log, or the share of one device, is full. See ``AccountRoom``.
    case full

    /// The device may not write entries now: it was removed, or has another role than *full*. When making entries only.
    case notAllowed

    /// The recovery key is not, or no longer, the account's. When making entries only.
    case otherRecoveryKey

    /// The device is in the account. When making entries only.
    case deviceAlreadyAdded(DeviceID)

    /// The device was removed, which is for ever: it comes back with new keys. When making entries only.
    case deviceRemoved(DeviceID)

    /// Without this device only the recovery key could add or remove devices. When making entries only.
    case lastFullDevice

    /// A text is no name. When making entries only.
    case badName(Naming.Mistake)

    /// The device has given as many names as it may. When making entries only.
    case tooManyNames
}

extension AccountError {
    /// Whether no honest peer passes such an entry on.
    ///
    /// Of a flood each replica keeps the part that reached it first. So one has no room for entries that another
    /// holds, and lacks the ancestors of the rest.
    package var isBearersFault: Bool {
        switch self {
        case .full, .missingParents, .notGenesis: false
        default: true
        }
    }
}

extension AccountError: CustomStringConvertible {
    /// The reason, for logs and as a part of a sentence.
    package var description: String {
        switch self {
        case .malformed(let error): "the entry cannot be read: \(error)"
        case .notGenesis: "the log does not begin with an account's first entry"
        case .otherAccount: "the entry is of another account"
        case .missingParents(let parents): "\(parents.count) entries that come before it are not here yet"
        case .parentsNotHeads: "the entry names a parent together with an ancestor of it"
        case .authorNotAdded: "the entry's author was never added with the role full"
        case .badSignature: "the entry's signature is not its author's"
        case .badCertificate(let error): "the entry adds no valid device: \(error)"
        case .unknownDevice(let device): "the account never had the device \(device.shortText)"
        case .cutOutsidePast(let hash): "a removal names the entry \(hash.shortText), which does not come before it"
        case .needsRecoveryKey: "only the recovery words can replace the recovery words"
        case .full: "the account's log has no room for another entry"
        case .notAllowed: "this device was removed from the account, or has another role than full"
        case .otherRecoveryKey: "the recovery words are not, or no longer, those of the account"
        case .deviceAlreadyAdded(let device): "the device \(device.shortText) is in the account already"
        case .deviceRemoved(let device):
            "the device \(device.shortText) was removed permanently, and can be added only with new keys"
        case .lastFullDevice: "no device with the role full would be left"
        case .badName(let mistake): "the text is not a name: \(mistake)"
        case .tooManyNames: "this device has given the maximum number of names"
        }
    }
}
