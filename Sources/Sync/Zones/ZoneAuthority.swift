import Capabilities
import Identity
package import Wire

/// The rights of several accounts in one zone at one moment: the devices that may receive it, and how much of it.
///
/// A zone without one belongs to this account alone.
package struct ZoneAuthority: Sendable {
    /// The terms of the zone, which its participants need to know.
    package let terms: ZoneTerms
    /// The accounts that the zone's control log names: its owners and all that ever held a right.
    package let parties: Set<AccountID>
    /// Whether everyone may read the zone, including devices that show no account.
    package let isOpen: Bool
    private let state: ControlState
    private let directory: ZoneDirectory
    /// The times at which rights in force begin and end by the clock, ascending, by the account that has them.
    private let moments: [AccountID: [UInt64]]

    init(_ terms: ZoneTerms, state: ControlState, directory: ZoneDirectory) {
        self.terms = terms
        self.state = state
        self.directory = directory
        // A right that was never held may be made up. Whether a transfer is effective depends on the log of the
        // account that it names.
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
    /// The owner of the zone; of a pair zone one of the two.
    package var owner: AccountID { state.owner }
    /// Whether accounts without a capability have a right in it.
    package var isPublic: Bool { state.publicAccess != .none }
    /// The accounts that hold a right now, the owners first, then ascending.
    package var members: [AccountID] { state.owners + state.participants.keys.sorted() }

    /// Returns how much of the zone a device may receive.
    ///
    /// A device that may no longer read the zone still receives the reason: the control logs.
    /// - Parameters:
    ///   - device: A device that has proved its key.
    ///   - account: The account that it belongs to.
    ///   - wall: Milliseconds since 1970: rights begin and end by the clock of the serving device.
    /// - Returns: The access.
    /// - Complexity: O(capabilities of the account).
    package func access(of device: DeviceID, in account: AccountID, at wall: UInt64) -> ZoneAccess {
        if isOpen || permission(of: device, in: account, at: wall) != nil { return .everything }
        return parties.contains(account) ? .control : .nothing
    }

    /// The part of the zone that any device may receive.
    package var openAccess: ZoneAccess { isOpen ? .everything : .nothing }

    /// Returns how much of the zone is taken from a device: the part that it may receive by a right of its account.
    ///
    /// A reader of a public zone without a right has nothing to contribute.
    /// - Parameters: as of ``access(of:in:at:)``.
    /// - Returns: The extent of the acceptance.
    package func acceptance(from device: DeviceID, in account: AccountID, at wall: UInt64) -> ZoneAccess {
        guard parties.contains(account) else { return .nothing }
        let permission = permission(of: device, in: account, at: wall)
        if let permission, permission != publicAccessEntry { return .everything }
        return .control
    }

    /// The right by which a device may have the zone's records, or the entry that makes the zone public; `nil` for
    /// none.
    private func permission(of device: DeviceID, in account: AccountID, at wall: UInt64) -> Hash? {
        let subject = AccessSubject.device(device, of: account)
        if let right = state.permission(toRead: subject, directory, at: wall) { return right }
        // A relay has sealed records that it cannot read, where its account may read them. Not all records of a zone
        // that was ever public are sealed.
        guard publicAccessEntry == nil, parties.contains(account), !hasEnded(account),
            case .active(.relayOnly, _) = directory.standing(of: device, in: account)
        else { return nil }
        return state.permission(toRead: subject, sealed: true, directory, at: wall)
    }

    /// Returns how much of the zone this device may still send: the part that other devices, which decide alike, will
    /// take.
    ///
    /// An account that has not yet learnt of its right is treated as one that has.
    /// - Parameters:
    ///   - device: This device.
    ///   - account: Its account.
    ///   - wall: Milliseconds since 1970, by its own clock.
    /// - Returns: `.control` for one that may not read the zone now.
    package func ownAccess(of device: DeviceID, in account: AccountID, at wall: UInt64) -> ZoneAccess {
        parties.contains(account) ? access(of: device, in: account, at: wall) : .everything
    }

    /// Whether an account only reads the zone, or read it while it was public: no device accepts operations from it.
    /// - Parameter account: The account.
    /// - Returns: False also for an account that has not learnt yet that the zone is public, or that it takes part.
    package func isGuest(_ account: AccountID) -> Bool {
        !parties.contains(account) && publicAccessEntry != nil
    }

    /// The last entry about accounts without a capability; `nil` for zero, which is also the right of the zone's
    /// maker.
    private var publicAccessEntry: Hash? { state.publicAccessEntry.isZero ? nil : state.publicAccessEntry }

    /// Whether a right of any account begins or ends by the clock.
    var hasMoments: Bool { !moments.isEmpty }

    /// The next time at which a right of some accounts begins or ends by the clock.
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
    /// - Returns: False for one that has not learnt yet that it takes part.
    package func hasEnded(_ account: AccountID) -> Bool {
        guard parties.contains(account), !state.isOwned(by: account) else { return false }
        return (state.participants[account]?.rights.level ?? .relay) < .read
    }

    /// Whether a right was ended, and has not just expired: operations above its cut may be kept as quarantined.
    /// - Parameter right: The right in the heads of a log.
    /// - Returns: False for one that is not known.
    package func hasEnded(right: Hash) -> Bool {
        if case .ended = state.status(of: right) { return true }
        return state.ownership(with: right)?.hasEnded ?? false
    }

    /// Whether an account decides about operations above a cut, and so takes them in when their author delivers them.
    /// - Parameter account: The account.
    /// - Returns: True for the owner's and for those with the level `admin`.
    package func rules(_ account: AccountID) -> Bool {
        state.isOwned(by: account) || state.participants[account]?.rights.level == .admin
    }

    /// Whether a device writes in the zone for accounts without a right there, if the zone allows it.
    /// - Parameters:
    ///   - device: The device.
    ///   - account: The account that it belongs to.
    /// - Returns: True for a device with the role *full* of an account that ``rules(_:)``.
    package func writesForGuests(_ device: DeviceID, of account: AccountID) -> Bool {
        guard rules(account), case .active(.full, _) = directory.standing(of: device, in: account) else { return false }
        return true
    }

    /// Whether anything in the zone may let an account write there through a device that rules it.
    /// - Parameter account: The account that asks.
    /// - Returns: False if all its writes would be refused, whatever they are.
    func mayLetWrite(_ account: AccountID) -> Bool {
        let access = state.publicAccess
        let rights = [access.world, access.authenticated, access.creator]
        return parties.contains(account) || rights.contains { !$0.isDisjoint(with: [.create, .write]) }
    }
}

/// The part of a zone that a device may receive.
package enum ZoneAccess: Sendable, Hashable {
    /// Nothing, not even the existence of the zone.
    case nothing
    /// The rights in it: the control logs.
    case control
    /// All effective operations.
    case everything
}

extension ControlState {
    /// The right by which a subject may read the zone, or have it sealed; `nil` for none.
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
