import Wire

/// One verified entry of an account log with its place in the graph.
struct AccountNode: Equatable, Sendable {
    /// The entry.
    let verified: VerifiedAccountEntry
    /// The number of steps of the longest path from the genesis: a function of the ancestors alone.
    let generation: Int
    /// All ancestors, the entry itself not among them.
    private(set) var ancestors: EntrySet
    /// For entries of the recovery key: the entry that put the key in place with which this one is signed.
    private(set) var recoveryOrigin: Int?
    /// The certificate that the entry brings in, checked; of a renewal `nil` when it has no effect.
    let certificate: VerifiedCertificate?
    /// The key of the account's devices that the entry makes; `nil` when it has no effect.
    let fleetKey: FleetKeyRenewal?
    /// The name that the entry gives; `nil` when it has no effect.
    let naming: Naming?

    init(
        verified: VerifiedAccountEntry,
        generation: Int,
        ancestors: EntrySet,
        recoveryOrigin: Int?,
        certificate: VerifiedCertificate?
    ) {
        self.verified = verified
        self.generation = generation
        self.ancestors = ancestors
        self.recoveryOrigin = recoveryOrigin
        self.certificate = certificate
        // Versions that do not know this kind take in any bytes: unreadable ones have no effect.
        if case .renewFleetKey(let bytes) = verified.entry.action {
            fleetKey = try? FleetKeyRenewal(decoding: bytes)
        } else {
            fleetKey = nil
        }
        naming = Naming(of: verified.entry.action)
    }

    /// The same entry in a log in which entries have moved.
    /// - Parameters:
    ///   - ancestors: Its ancestors at their new places.
    ///   - recoveryOrigin: The entry that put its recovery key in place, at its new place.
    /// - Returns: The node.
    func moved(ancestors: EntrySet, recoveryOrigin: Int?) -> AccountNode {
        var node = self
        node.ancestors = ancestors
        node.recoveryOrigin = recoveryOrigin
        return node
    }

    /// Names the entry.
    var hash: Hash { verified.hash }
    /// The entry.
    var entry: AccountEntry { verified.entry }

    /// A place in an order that never puts an entry before one of its ancestors and is the same on every replica.
    var place: AccountPlace { AccountPlace(generation: generation, hash: hash) }

    /// The device that wrote the entry; nil for the recovery key.
    var authorDevice: DeviceID? {
        if case .device(let device) = entry.author { device } else { nil }
    }

    /// Whether the entry removes a device.
    var isRemoval: Bool {
        if case .removeDevice = entry.action { true } else { false }
    }

    /// The device that the entry brings in, with the role that it gives.
    var addition: (device: DeviceID, role: DeviceRole, name: String)? {
        guard let device = certificate?.device else { return nil }
        return switch entry.action {
        case .genesis(_, _, let name): (device, .full, name)
        case .addDevice(_, let role, let name): (device, role, name)
        case .removeDevice, .replaceRecoveryKey, .pairKey, .renewCertificate, .renewFleetKey, .setName, .unknown: nil
        }
    }

    /// The certificate that the entry puts in the place of its device's.
    var renewal: VerifiedCertificate? {
        if case .renewCertificate = entry.action { certificate } else { nil }
    }

    /// The recovery key that the entry puts in place.
    var recoveryKeyBytes: [UInt8]? {
        switch entry.action {
        case .genesis(let key, _, _), .replaceRecoveryKey(let key): key
        case .addDevice, .removeDevice, .pairKey, .renewCertificate, .renewFleetKey, .setName, .unknown: nil
        }
    }
}

extension Naming {
    /// The name that an action gives; `nil` for other kinds, and for bytes that are no naming: versions that do not
    /// know the kind take in any bytes.
    init?(of action: AccountAction) {
        guard case .setName(let bytes) = action, let naming = try? Naming(decoding: bytes) else { return nil }
        self = naming
    }
}
