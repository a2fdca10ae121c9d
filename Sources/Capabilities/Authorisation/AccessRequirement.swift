import Wire

/// The requirement of a request: the table of the decision, one row for each kind.
struct AccessRequirement: Equatable, Sendable {
    /// The lowest level, of the capability and of the device's role.
    var level: AccessLevel
    /// Whether a capability does not suffice.
    var isOwnerOnly = false
    /// The public rights that suffice instead; empty for none.
    var publicRights: PublicRights = []

    init(_ level: AccessLevel, isOwnerOnly: Bool = false, public: PublicRights = []) {
        self.level = level
        self.isOwnerOnly = isOwnerOnly
        publicRights = `public`
    }
}

extension AccessRequest {
    /// The row.
    /// - Parameter account: The account that asks; one that may only append may still change the records that it
    ///   made.
    /// - Returns: The row.
    func requirement(for account: AccountID?) -> AccessRequirement {
        switch self {
        case .serve(.control, _): AccessRequirement(.relay, public: .read)
        case .serve(.data, sealed: true): AccessRequirement(.relay, public: .read)
        case .serve(.data, sealed: false): AccessRequirement(.read, public: .read)
        case .write(let write) where write.creator == nil:
            AccessRequirement(.append, public: .create)
        case .write(let write): AccessRequirement(write.creator == account ? .append : .write, public: .write)
        case .administer(let act): act.requirement
        }
    }
}

extension AdministrativeAct {
    /// The row of an act; the further requirements of a grant or an end are checked for each capability.
    var requirement: AccessRequirement {
        switch self {
        case .grant(let rights): AccessRequirement(rights.level)
        case .revoke, .leave: AccessRequirement(.relay)
        case .publicAccess, .schema: AccessRequirement(.admin)
        case .answerTransfer: AccessRequirement(.read)
        case .epoch: AccessRequirement(.append)
        case .checkpoint, .raiseCut, .transfer, .deleteZone: AccessRequirement(.admin, isOwnerOnly: true)
        }
    }
}

extension AdministrativeAct {
    /// Whether one of the two owners of a pair zone may do it.
    var isForPairs: Bool {
        switch self {
        case .leave, .checkpoint, .schema, .epoch: true
        case .grant, .revoke, .publicAccess, .raiseCut, .transfer, .answerTransfer, .deleteZone: false
        }
    }
}

extension DeviceRole {
    /// The highest of its account's levels that a device with the role has.
    var ceiling: AccessLevel {
        switch self {
        case .full: .admin
        case .readOnly: .read
        case .relayOnly: .relay
        }
    }
}
