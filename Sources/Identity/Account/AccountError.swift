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

    /// There is no room for an entry that counts: the log, or the share of one device, is full. See ``AccountRoom``.
    case full

    /// The device may not write entries now: it was removed, or has another role than *full*. When making entries only.
    case notAllowed

    /// The recovery key is not, or no longer, the account's. When making entries only.
    case otherRecoveryKey

    /// The device is in the account. When making entries only.
    case deviceAlreadyAdded(DeviceID)

    /// The device was removed, which is for ever: it comes back with new keys. When making entries only.
    case deviceRemoved(DeviceID)

    /// Without this device nobody could add or remove devices but the recovery key. When making entries only.
    case lastFullDevice

    /// A text is no name. When making entries only.
    case badName(Naming.Mistake)

    /// The device has given as many names as it may. When making entries only.
    case tooManyNames
}

extension AccountError {
    /// Whether nobody honest passes such an entry on.
    ///
    /// Of a flood each replica keeps the part that reached it first. So one has no room for what another holds, and lacks what
    /// comes before the rest.
    package var isBearersFault: Bool {
        switch self {
        case .full, .missingParents, .notGenesis: false
        default: true
        }
    }
}
