import Capabilities
import Identity
package import Wire

/// What several accounts may do in one zone at one moment: whom it may be told to, and how much of it.
///
/// A zone without one belongs to this account alone.
package struct ZoneAuthority: Sendable {
    /// What the zone is, as whoever takes part in it needs to know.
    package let terms: ZoneTerms
    /// The accounts that the zone's control log names: its owners and all who ever held a right.
    package let parties: Set<AccountID>
    /// Whether everybody may read the zone, also who shows no account.
    package let isOpen: Bool
    private let state: ControlState
    private let directory: ZoneDirectory
    /// When rights that hold begin and end by the clock, ascending, by the account that has them.
    private let moments: [AccountID: [UInt64]]

    init(_ terms: ZoneTerms, state: ControlState, directory: ZoneDirectory) {
        self.terms = terms
        self.state = state
        self.directory = directory
        // A right that never held is anybody's invention. Whether a transfer counts depends on the log of the account that it names.
        parties = state.holders.union(state.candidates)
        moments = state.participants.compactMapValues { participant in
            let times = participant.capabilities.compactMap { state.capabilities[$0]?.capability.caveats }
                .flatMap { [$0.notBefore, $0.expires].compactMap { $0 } }
            return times.isEmpty ? nil : times.sorted()
        }
        isOpen = state.permission(toRead: .world, directory, at: nil) != nil
    }

    /// The zone.
    package var zone: ZoneID { state.zone }
    /// Whose the zone is; of a pair zone one of the two.
    package var owner: AccountID { state.owner }
    /// Whether those may do something in it who hold no right.
    package var isPublic: Bool { state.publicAccess != .none }
    /// Who holds a right now, who owns the zone first, then ascending.
    package var members: [AccountID] { state.owners + state.participants.keys.sorted() }

    /// How much of the zone a device may be told.
    ///
    /// What it may no longer read it is still told the reason for: the control logs.
    /// - Parameters:
    ///   - device: A device that has proved its key.
    ///   - account: The account that it belongs to.
    ///   - wall: Milliseconds since 1970: rights begin and end by the clock of who serves.
    /// - Returns: How much.
    /// - Complexity: O(capabilities of the account).
    package func access(of device: DeviceID, in account: AccountID, at wall: UInt64) -> ZoneAccess {
        if isOpen || permission(of: device, in: account, at: wall) != nil { return .everything }
        if PlantedBug.serveWhatWasPublic.isActive, publicAccessEntry != nil { return .everything }
        guard parties.contains(account) else { return PlantedBug.tellStrangers.isActive ? .control : .nothing }
        return PlantedBug.serveFormerParticipants.isActive ? .everything : .control
    }

    /// How much of the zone whoever comes may be told.
    package var openAccess: ZoneAccess {
        if PlantedBug.serveWhatWasPublic.isActive, publicAccessEntry != nil { return .everything }
        if PlantedBug.tellStrangers.isActive { return .control }
        return isOpen ? .everything : .nothing
    }

    /// How much of the zone is taken from a device: what it may be told by a right of its account.
    ///
    /// Who only reads what is public has nothing to say.
    /// - Parameters: as of ``access(of:in:at:)``.
    /// - Returns: How much.
    package func acceptance(from device: DeviceID, in account: AccountID, at wall: UInt64) -> ZoneAccess {
        guard parties.contains(account) else { return .nothing }
        let permission = permission(of: device, in: account, at: wall)
        if let permission, permission != publicAccessEntry { return .everything }
        return PlantedBug.serveFormerParticipants.isActive ? .everything : .control
    }

    /// What lets a device have the zone's records: a right, or the entry that makes it public; `nil` for nothing.
    private func permission(of device: DeviceID, in account: AccountID, at wall: UInt64) -> Hash? {
        let subject = AccessSubject.device(device, of: account)
        if let right = state.permission(toRead: subject, directory, at: wall) { return right }
        // A relay has what it cannot read, where its account may read it. Of what was ever public not everything is sealed.
        guard publicAccessEntry == nil, parties.contains(account), !hasEnded(account),
            case .active(.relayOnly, _) = directory.standing(of: device, in: account)
        else { return nil }
        return state.permission(toRead: subject, sealed: true, directory, at: wall)
    }

    /// How much of the zone this device may itself still say about it: what others will hear, who decide alike.
    ///
    /// Who has not heard yet that it takes part is about to.
    /// - Parameters:
    ///   - device: This device.
    ///   - account: Its account.
    ///   - wall: Milliseconds since 1970, by its own clock.
    /// - Returns: `.control` for one that may not read the zone now.
    package func ownAccess(of device: DeviceID, in account: AccountID, at wall: UInt64) -> ZoneAccess {
        parties.contains(account) ? access(of: device, in: account, at: wall) : .everything
    }

    /// Whether an account only reads the zone, or read it while that was public: nobody takes anything from it.
    /// - Parameter account: The account.
    /// - Returns: False also for one that has not heard yet that the zone is public, or that it takes part.
    package func isGuest(_ account: AccountID) -> Bool {
        !parties.contains(account) && publicAccessEntry != nil
    }

    /// What said last who may do what without a right; the right of who made a zone is zero as well.
    private var publicAccessEntry: Hash? { state.publicAccessEntry.isZero ? nil : state.publicAccessEntry }

    /// Whether a right of anybody begins or ends by the clock.
    var hasMoments: Bool { !moments.isEmpty }

    /// When a right of some accounts begins or ends by the clock next.
    /// - Parameters:
    ///   - accounts: The accounts.
    ///   - wall: Milliseconds since 1970.
    /// - Returns: A later time, in milliseconds since 1970; `nil` if the clock changes nothing any more.
    /// - Complexity: O(accounts, and times of their rights that are over).
    func nextMoment(of accounts: Set<AccountID>, after wall: UInt64) -> UInt64? {
        guard hasMoments else { return nil }
        return accounts.compactMap { moments[$0]?.first { $0 > wall } }.min()
    }

    /// Whether an account took part in the zone and does no more, whatever the time.
    /// - Parameter account: The account.
    /// - Returns: False for one that has not heard yet that it takes part.
    package func hasEnded(_ account: AccountID) -> Bool {
        guard parties.contains(account), !state.isOwned(by: account) else { return false }
        return (state.participants[account]?.rights.level ?? .relay) < .read
    }

    /// Whether a right was ended, and has not just run out of time: what stands above its cut may be kept as quarantined.
    /// - Parameter right: What the heads of a log name.
    /// - Returns: False for one that is not known.
    package func hasEnded(right: Hash) -> Bool {
        if case .ended = state.status(of: right) { return true }
        return state.ownership(with: right)?.hasEnded ?? false
    }

    /// Whether an account decides about what was cut off, and so takes it in when its author hands it over.
    /// - Parameter account: The account.
    /// - Returns: True for the owner's and for those with the level `admin`.
    package func rules(_ account: AccountID) -> Bool {
        state.isOwned(by: account) || state.participants[account]?.rights.level == .admin
    }

    /// Whether a device writes in the zone for those who hold no right there, if the zone lets them.
    /// - Parameters:
    ///   - device: The device.
    ///   - account: The account that it belongs to.
    /// - Returns: True for a device with the role *full* of an account that ``rules(_:)``.
    package func writesForGuests(_ device: DeviceID, of account: AccountID) -> Bool {
        guard rules(account), case .active(.full, _) = directory.standing(of: device, in: account) else { return false }
        return true
    }

    /// Whether anything in the zone may let an account write there through somebody who rules it.
    /// - Parameter account: The account that asks.
    /// - Returns: False if all its writes would be refused, whatever they are.
    func mayLetWrite(_ account: AccountID) -> Bool {
        let access = state.publicAccess
        let rights = [access.world, access.authenticated, access.creator]
        return parties.contains(account) || rights.contains { !$0.isDisjoint(with: [.create, .write]) }
    }
}

/// How much of a zone somebody may be told.
package enum ZoneAccess: Sendable, Hashable {
    /// Not even that it exists.
    case nothing
    /// Who may do what in it: the control logs.
    case control
    /// All that counts.
    case everything
}

extension ControlState {
    /// What lets somebody read the zone, or have it as it is sealed; `nil` for nothing.
    fileprivate func permission(
        toRead subject: AccessSubject,
        sealed: Bool = false,
        _ directory: ZoneDirectory,
        at wall: UInt64?
    ) -> Hash? {
        let decision = Authorisation.decide(
            .serve(.data, sealed: sealed),
            by: subject,
            state: self,
            directory: directory,
            now: wall
        )
        if case .allowed(let permission) = decision { return permission }
        return nil
    }
}
