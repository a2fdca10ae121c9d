package import Wire

/// Decides access to a zone by rights: statements about rights, the data that a session may receive, and guests' writes.
///
/// `ControlStatements` asks it about every statement of an account about rights, `GuestWrites` about the writes of guests,
/// and `ZoneAuthority` about the data of each session. A replica accepts and writes by the same control state, through each
/// log's role and cut; local programs are decided on by their role (decision 77).
///
/// It decides by the control state and the accounts as they are known here. The clock matters for one thing only:
/// under a capability outside of its time this device serves nothing and writes nothing. Operations in the logs stay
/// effective until a cut excludes them, so that replicas with unequal clocks agree on the effective operations.
package enum Authorisation {
    /// Decides on a request.
    /// - Parameters:
    ///   - request: The request.
    ///   - subject: The authenticated subject.
    ///   - state: The zone's control state.
    ///   - directory: The accounts.
    ///   - now: Our clock in milliseconds since 1970; nil where there is none, and then no time is checked.
    /// - Returns: The decision; of several capabilities the strongest that suffices.
    /// - Complexity: O(1) in the size of the zone, O(capabilities of the subject's account).
    package static func decide(
        _ request: AccessRequest,
        by subject: AccessSubject,
        state: ControlState,
        directory: some AccountDirectory,
        now: UInt64?
    ) -> AccessDecision {
        switch subject {
        case .device(let device, let account):
            member(request, device: device, account: account, state: state, directory: directory, now: now)
        case .world: guest(request, rights: state.publicAccess.world, state: state) ?? .refused(.notParticipant)
        case .guest(let account):
            guest(request, rights: state.guestRights(of: account, for: request), state: state)
                ?? .refused(.notParticipant)
        }
    }

    /// Decides by public access alone; nil if that does not allow the request.
    private static func guest(_ request: AccessRequest, rights: PublicRights, state: ControlState) -> AccessDecision? {
        let needed = request.requirement(for: nil).publicRights
        guard !needed.isEmpty, rights.isSuperset(of: needed) else { return nil }
        return .allowed(under: state.publicAccessEntry)
    }

    /// Decides on a device's request by its account's rights, else by public access.
    private static func member(
        _ request: AccessRequest,
        device: DeviceID,
        account: AccountID,
        state: ControlState,
        directory: some AccountDirectory,
        now: UInt64?
    ) -> AccessDecision {
        let requirement = request.requirement(for: account)
        switch directory.standing(of: device, in: account) {
        case .unknownAccount: return .waiting(for: .account(account))
        case .unknownDevice: return .refused(.unknownDevice)
        case .removed: return .refused(.removedDevice)
        case .active(let role, _) where role.ceiling < request.roleLevel(requirement): return .refused(.deviceRole)
        case .active: break
        }
        if let ownership = state.ownership(of: account) { return owner(request, by: ownership, state: state) }
        var refusal = AccessRefusal.notParticipant
        for id in (state.participants[account]?.capabilities ?? []).reversed() {
            guard let record = state.capabilities[id] else { continue }
            guard let reason = request.refusal(requirement, under: id, record, state: state, now: now) else {
                return .allowed(under: id)
            }
            // The strongest comes last, and its reason is the one to report.
            refusal = reason
        }
        return guest(request, rights: state.publicRights(of: account, for: request), state: state) ?? .refused(refusal)
    }

    private static func owner(
        _ request: AccessRequest,
        by ownership: Ownership,
        state: ControlState
    ) -> AccessDecision {
        if state.isPair, case .administer(let act) = request, !act.isForPairs { return .refused(.pairZone) }
        if !state.isPair, request == .administer(.leave) { return .refused(.ownerLeaves) }
        return .allowed(under: ownership.right)
    }
}

extension AccessRequest {
    /// The lowest level that the role of the asking device must have: ruling takes all of it.
    fileprivate func roleLevel(_ requirement: AccessRequirement) -> AccessLevel {
        if case .administer = self { return .admin }
        return requirement.level
    }

    /// Why a capability does not suffice.
    fileprivate func refusal(
        _ requirement: AccessRequirement,
        under id: Hash,
        _ record: CapabilityRecord,
        state: ControlState,
        now: UInt64?
    ) -> AccessRefusal? {
        let capability = record.capability
        if requirement.isOwnerOnly { return .ownerOnly }
        if capability.rights.level < requirement.level { return .needs(requirement.level) }
        if let refusal = capability.caveats.refusal(at: now) { return refusal }
        switch self {
        case .write(let write): return capability.caveats.refusal(of: write)
        case .administer(.grant) where !capability.rights.canDelegate: return .needsDelegation
        case .administer(.grant) where capability.caveats.delegationDepth == 0: return .needsDelegation
        case .administer(.revoke(let other)):
            return state.capabilities[other]?.chain.dropLast().contains(id) == true ? nil : .notDescendant
        default: return nil
        }
    }
}

extension Caveats {
    /// Why the capability does not reach to a record.
    fileprivate func refusal(of write: AccessRequest.Write) -> AccessRefusal? {
        if !allows(type: write.type) { return .recordType }
        return allows(name: write.name) ? nil : .recordName
    }

    /// Why the capability is not valid at a moment.
    /// - Parameter now: Milliseconds since 1970; nil disregards the time.
    /// - Returns: `.notYetValid` or `.expired`; nil while it is valid.
    package func refusal(at now: UInt64?) -> AccessRefusal? {
        guard let now else { return nil }
        if let notBefore, now < notBefore { return .notYetValid(at: notBefore) }
        if let expires, now >= expires { return .expired(at: expires) }
        return nil
    }
}

extension ControlState {
    /// Returns the public rights of an account that is known here.
    fileprivate func publicRights(of account: AccountID, for request: AccessRequest) -> PublicRights {
        publicAccess.authenticated.union(guestRights(of: account, for: request))
    }

    /// Returns the public rights of an account that is not known here, and was proven.
    fileprivate func guestRights(of account: AccountID, for request: AccessRequest) -> PublicRights {
        guard case .write(let write) = request, write.creator == account else { return publicAccess.world }
        return publicAccess.world.union(publicAccess.creator)
    }
}
