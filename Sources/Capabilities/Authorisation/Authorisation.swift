package import Wire

/// The one function that decides who may do what in a zone.
///
/// Whatever an account says about rights asks it (`Committer`). What a replica takes and writes follows the same control
/// state by each log's role and cut; sessions, which will ask for each request, belong to one account so far.
///
/// It decides by the control state and the accounts as they are known here. The clock matters for one thing only: a
/// capability outside of its time is not served and nothing is taken *directly* from who holds it; what others pass on
/// counts until a cut says otherwise, so that replicas with unequal clocks agree on what counts.
package enum Authorisation {
    /// Decides.
    /// - Parameters:
    ///   - request: What is wanted.
    ///   - subject: Who wants it, authenticated.
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
        switch (request, subject) {
        case (.localRead(let container), .application(let grants)):
            local(container, grants: grants, isWrite: false)
        case (.localWrite(let container), .application(let grants)):
            local(container, grants: grants, isWrite: true)
        case (.accept(let log, let delivery), .device(let device, let account)):
            acceptance(of: log, delivery, from: (device, account), state: state, directory: directory, now: now)
        case (_, .device(let device, let account)):
            member(request, device: device, account: account, state: state, directory: directory, now: now)
        case (_, .world): guest(request, rights: state.publicAccess.world, state: state) ?? .refused(.notParticipant)
        case (_, .guest(let account)):
            guest(request, rights: state.guestRights(of: account, for: request), state: state)
                ?? .refused(.notParticipant)
        case (_, .application): .refused(.notForSubject)
        }
    }

    private static func local(
        _ container: String,
        grants: [AccessSubject.ContainerGrant],
        isWrite: Bool
    ) -> AccessDecision {
        let granted = grants.filter { $0.container.isBytewiseEqual(to: container) }
        if granted.isEmpty { return .refused(.containerNotGranted) }
        return isWrite && !granted.contains(where: \.mayWrite)
            ? .refused(.containerReadOnly) : .allowed(under: .zero)
    }

    /// What public access allows; nil if nothing.
    private static func guest(_ request: AccessRequest, rights: PublicRights, state: ControlState) -> AccessDecision? {
        guard let needed = request.requirement(for: nil)?.publicRights, !needed.isEmpty, rights.isSuperset(of: needed)
        else {
            return nil
        }
        return .allowed(under: state.publicAccessEntry)
    }

    /// What a device may do by its account's rights, else by public access.
    private static func member(
        _ request: AccessRequest,
        device: DeviceID,
        account: AccountID,
        state: ControlState,
        directory: some AccountDirectory,
        now: UInt64?
    ) -> AccessDecision {
        guard let requirement = request.requirement(for: account) else { return .refused(.notForSubject) }
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
            // The strongest comes last, and its reason is the one to tell.
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

    /// Whether a part of a log is taken.
    private static func acceptance(
        of log: AccessRequest.IncomingLog,
        _ delivery: AccessRequest.Delivery,
        from sender: (device: DeviceID, account: AccountID),
        state: ControlState,
        directory: some AccountDirectory,
        now: UInt64?
    ) -> AccessDecision {
        if let refusal = refusal(of: log, state: state, directory: directory) { return refusal }
        switch delivery {
        case .direct where log.device != sender.device: return .refused(.notItsLog)
        case .direct:
            if let refusal = state.capabilities[log.right]?.capability.caveats.refusal(at: now) {
                return .refused(refusal)
            }
        case .relayed:
            // Whoever may be served the lane may pass it on.
            let served = AccessRequest.serve(log.log.lane, sealed: true)
            let passes = member(
                served,
                device: sender.device,
                account: sender.account,
                state: state,
                directory: directory,
                now: now
            )
            guard case .allowed = passes else { return passes }
        }
        return .allowed(under: log.right)
    }

    /// What is wrong with a log whoever brings it.
    private static func refusal(
        of log: AccessRequest.IncomingLog,
        state: ControlState,
        directory: some AccountDirectory
    ) -> AccessDecision? {
        let account = state.account(of: log.right)
        switch state.heldCut(of: log.log, device: log.device, under: log.right, directory: directory) {
        case .waiting(let reason): return .waiting(for: reason)
        case .zero: return .refused(account == nil ? .rightVoid : .aboveCut(size: 0))
        case .at(let size, _) where size < log.size: return .refused(.aboveCut(size: size))
        case .none, .at: break
        }
        // The right never held, but the owner has made final what is offered.
        guard let account else { return nil }
        let level: AccessLevel = log.log.lane == .data ? .append : .relay
        if let record = state.capabilities[log.right], record.capability.rights.level < level {
            return .refused(.needs(level))
        }
        switch directory.standing(of: log.device, in: account) {
        case .active(.full, _), .removed(.full, _): return nil
        case .active, .removed: return .refused(.deviceRole)
        case .unknownDevice: return .refused(.unknownDevice)
        case .unknownAccount: return .waiting(for: .account(account))
        }
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

extension ControlState {
    /// Why a record's write under a right does not count, whoever brings it and whenever.
    ///
    /// For the operations of a log that is taken (``Authorisation/decide(_:by:state:directory:now:)``), by who can read
    /// them.
    /// - Parameters:
    ///   - write: The write.
    ///   - right: What the log's heads name as their capability.
    /// - Returns: Why not; nil if it counts.
    package func refusal(of write: AccessRequest.RecordWrite, under right: Hash) -> AccessRefusal? {
        guard let account = account(of: right) else { return .rightVoid }
        guard let capability = capabilities[right]?.capability else { return nil }
        guard let requirement = AccessRequest.write(write).requirement(for: account) else { return .notForSubject }
        if capability.rights.level < requirement.level { return .needs(requirement.level) }
        return capability.caveats.refusal(of: write)
    }
}

extension Caveats {
    /// Why the capability does not reach to a record.
    fileprivate func refusal(of write: AccessRequest.RecordWrite) -> AccessRefusal? {
        if !allows(type: write.type) { return .recordType }
        return allows(name: write.name) ? nil : .recordName
    }

    /// Why the capability is not valid now.
    fileprivate func refusal(at now: UInt64?) -> AccessRefusal? {
        guard let now, !PlantedBug.serveBeyondExpiry.isActive else { return nil }
        if let notBefore, now < notBefore { return .notYetValid(at: notBefore) }
        if let expires, now >= expires { return .expired(at: expires) }
        return nil
    }
}

extension ControlState {
    /// What public access gives an account that is known.
    fileprivate func publicRights(of account: AccountID, for request: AccessRequest) -> PublicRights {
        publicAccess.authenticated.union(guestRights(of: account, for: request))
    }

    /// What public access gives an account that is not known, and was proven.
    fileprivate func guestRights(of account: AccountID, for request: AccessRequest) -> PublicRights {
        guard case .write(let write) = request, write.creator == account else { return publicAccess.world }
        return publicAccess.world.union(publicAccess.creator)
    }
}
