import Identity
import Wire

/// The rights by which zones are exchanged: the zones that this device holds, and the accounts and rights that decide
/// which sessions receive them.
///
/// Nothing of a zone reaches a session except by `access`, and nothing is accepted from it except by `acceptance`;
/// `view` applies the first.
struct ExchangeRights: Sendable {
    let localDevice: DeviceID
    var localIncarnation: Incarnation
    let account: AccountID
    /// The knowledge of this account's log.
    var own = Contact(heads: [], standings: [:])
    /// The knowledge of other accounts' logs.
    private(set) var contacts: [AccountID: Contact] = [:]
    /// The rights in zones in which several accounts take part.
    private(set) var authorities: [ZoneID: ZoneAuthority] = [:] { didSet { revision &+= 1 } }
    private(set) var zones: [ZoneID: ZoneSnapshot] = [:] { didSet { revision &+= 1 } }
    /// Changes whenever a fact changes that decides whether anything is shared with a device of another account.
    private(set) var revision: UInt64 = 0
    /// Milliseconds since 1970, as last reported: rights begin and end by it.
    var wall: UInt64 = 0
    /// The zone states that devices were seen to hold and for which that was saved.
    private var held: [DeviceID: [ZoneID: Hash]] = [:]
    /// The sizes of our own logs as the store read them, which may be ahead of the core's knowledge.
    private var ownSizes: [LogKey: UInt64] = [:]
    /// The sizes of this device's logs up to which it has offered its writes to another device of its account since
    /// it was removed; `nil` while it has not.
    var handedOver: [LogKey: UInt64]?

    init(localDevice: DeviceID, localIncarnation: Incarnation, account: AccountID) {
        self.localDevice = localDevice
        self.localIncarnation = localIncarnation
        self.account = account
    }

    // MARK: Changes

    /// Replaces the knowledge of another account's log.
    /// - Returns: Whether the log differs from before.
    mutating func take(_ contact: Contact, of other: AccountID) -> Bool {
        guard other != account else { return false }
        return contacts.updateValue(contact, forKey: other)?.heads != contact.heads
    }

    /// Replaces the rights in a zone.
    mutating func take(_ authority: ZoneAuthority) {
        // The rights granted to other accounts may turn out never to have been effective.
        let isOwn = authority.parties == [account] && !authority.isPublic
        authorities[authority.zone] = isOwn ? nil : authority
    }

    /// Replaces the state of a zone.
    /// - Returns: The state before; `nil` for a zone that was not known.
    mutating func take(_ snapshot: ZoneSnapshot) -> ZoneSnapshot? {
        zones.updateValue(snapshot, forKey: snapshot.zone)
    }

    mutating func forget(_ zone: ZoneID) {
        zones[zone] = nil
        authorities[zone] = nil
    }

    /// A right has begun or ended by the clock.
    mutating func momentCame() { revision &+= 1 }

    // MARK: Accounts and devices

    /// The knowledge of an account's log; `nil` for an unknown account.
    private func log(of other: AccountID) -> Contact? { other == account ? own : contacts[other] }

    /// The heads of an account's log; `nil` for an unknown account.
    func heads(of other: AccountID) -> [Hash]? { log(of: other)?.heads }

    /// Returns the standing of a device in an account.
    func standing(of device: DeviceID, in other: AccountID) -> Standing {
        log(of: other)?.standings[device] ?? .unknown
    }

    /// Whether this device was removed from its account.
    var isRemoved: Bool { standing(of: localDevice, in: account) == .removed }

    /// Whether this device was removed, and has writes that it has not offered to another device of its account.
    ///
    /// A write that was stored while the others were offered makes this true again.
    var hasLateWrites: Bool {
        guard isRemoved else { return false }
        guard let handedOver else { return true }
        return zones.keys.contains { zone in
            writtenLogs(in: zone).contains { $0.value > handedOver[$0.key] ?? 0 }
        }
    }

    /// The data logs that this device wrote in a zone, in any lifetime, with their sizes.
    func writtenLogs(in zone: ZoneID) -> [LogKey: UInt64] {
        (zones[zone]?.logs ?? [:]).filter { $0.key.lane == .data && $0.value.device == localDevice }.mapValues(\.size)
    }

    /// Whether a session's device was removed from the account that this device belongs to.
    func isRemovedFellow(_ session: PeerSession) -> Bool {
        session.account == account && standing(of: session.device, in: account) == .removed
    }

    /// Whether a session is an active one with a device of this account that belongs to it.
    func isFellow(_ session: PeerSession) -> Bool {
        session.isActive && session.account == account && standing(of: session.device, in: account) == .active
    }

    /// Whether an account is unknown, and need not be known: it receives public zones, and its statements are not
    /// believed.
    func isStranger(_ other: AccountID) -> Bool {
        other != account && contacts[other] == nil && !isParty(other)
    }

    /// Whether an unknown account receives public zones here.
    func isServedAsStranger(_ other: AccountID) -> Bool {
        isStranger(other) && authorities.values.contains { $0.isOpen && !$0.isGuest(account) }
    }

    /// Whether an account takes part in a zone that is known here.
    private func isParty(_ other: AccountID) -> Bool {
        authorities.values.contains { $0.parties.contains(other) }
    }

    /// Whether a session may exchange an account's log: the logs of both ends, those of accounts that take part in a
    /// zone that the session sees, and between devices of one account all logs that either knows.
    func isRelevant(_ other: AccountID, to session: PeerSession) -> Bool {
        // A removed device of another account receives that account's log only.
        if standing(of: session.device, in: session.account) == .removed { return other == session.account }
        if other == account { return true }
        if other == session.account { return !isServedAsStranger(other) }
        guard session.isActive else { return false }
        if session.account == account { return true }
        return authorities.contains {
            $0.value.parties.contains(other) && access(to: $0.key, for: session) != .nothing
        }
    }

    /// Whether the peer's heads of an account's log are worth remembering: devices of our own could name any number.
    func isNamed(_ other: AccountID, to session: PeerSession) -> Bool {
        other == session.account || heads(of: other) != nil || isParty(other)
    }

    // MARK: Own logs

    /// Whether this store writes a log.
    func isOwn(_ key: LogKey, _ snapshot: ZoneSnapshot) -> Bool {
        snapshot.logs[key].map { isOwn($0.device, $0.incarnation) } ?? false
    }

    /// Whether this store writes the logs of a device in one of its lives.
    func isOwn(_ device: DeviceID, _ incarnation: Incarnation) -> Bool {
        device == localDevice && incarnation == localIncarnation
    }

    /// Notes the size of a log of this store, as the store read it.
    mutating func readOwn(_ head: TreeHead) {
        guard isOwn(head.device, head.incarnation) else { return }
        ownSizes[head.key] = max(ownSizes[head.key] ?? 0, head.size)
    }

    /// Whether a size of a log of this store is more than was ever written here: that is another history.
    ///
    /// The store may be ahead of the core's knowledge, and a run that was read then may be back already.
    func isAhead(_ key: LogKey, size: UInt64) -> Bool {
        size > max(zones[key.zone]?.size(key) ?? 0, ownSizes[key] ?? 0)
    }

    /// Whether every device of this account can derive the terms of a zone by itself; the terms of other zones, and
    /// of those that it owns together with another account, are sent.
    func isDerived(_ genesis: ZoneGenesis) -> Bool { genesis.owner == account && genesis.partner == nil }

    // MARK: Access

    /// Returns how much of a zone a session may receive now.
    func access(to zone: ZoneID, for session: PeerSession) -> ZoneAccess {
        if isRemovedFellow(session) { return .nothing }
        // Each device reads and leaves a public zone on its own, unless another one knows that the account takes
        // part.
        if session.account == account, isVisited(zone), !session.joining.named.contains(zone) { return .nothing }
        if session.isUnproven { return authorities[zone]?.openAccess ?? .nothing }
        return access(to: zone, for: session.device, of: session.account, at: wall)
    }

    /// Whether this account takes no part in a zone, by the knowledge of this device.
    func isVisited(_ zone: ZoneID) -> Bool {
        authorities[zone].map { !$0.parties.contains(account) } ?? false
    }

    /// Returns how much of a zone a device may receive at a given time.
    func access(to zone: ZoneID, for device: DeviceID, of other: AccountID, at wall: UInt64) -> ZoneAccess {
        if other == account { return .everything }
        guard let authority = authorities[zone] else { return .nothing }
        let theirs = authority.access(of: device, in: other, at: wall)
        // If this device may not read the zone itself, it has nothing to send except that it waits for the reason.
        return theirs == .everything ? authority.ownAccess(of: localDevice, in: account, at: wall) : theirs
    }

    /// Returns how much of a zone is taken from a session now.
    func acceptance(of zone: ZoneID, from session: PeerSession) -> ZoneAccess {
        if isRemovedFellow(session) { return .nothing }
        if session.account == account { return .everything }
        return session.isUnproven ? .nothing : acceptance(of: zone, from: session.device, in: session.account)
    }

    /// Returns how much of a zone is taken from a device of another account now.
    func acceptance(of zone: ZoneID, from device: DeviceID, in other: AccountID) -> ZoneAccess {
        guard let authority = authorities[zone] else { return .nothing }
        let theirs = authority.acceptance(from: device, in: other, at: wall)
        return theirs == .everything ? authority.ownAccess(of: localDevice, in: account, at: wall) : theirs
    }

    /// Whether a session exchanges a zone in both directions: not where one of the two only reads a public zone.
    func passesOn(_ zone: ZoneID, to session: PeerSession) -> Bool {
        session.account == account || authorities[zone]?.isGuest(account) != true
    }

    /// Whether the sizes of a zone that a device of an account holds are remembered: for other devices there would be
    /// no bound.
    func isMember(_ other: AccountID, of zone: ZoneID) -> Bool {
        other == account || authorities[zone]?.parties.contains(other) == true
    }

    /// Whether a session may receive a log.
    func isShown(_ key: LogKey, to session: PeerSession) -> Bool {
        switch access(to: key.zone, for: session) {
        case .everything: true
        case .control: key.lane == .control
        case .nothing: false
        }
    }

    /// Returns a zone as a session sees it; `nil` for one that is not held, or that the session may not learn of.
    func view(_ zone: ZoneID, for session: PeerSession) -> ZoneSnapshot? {
        guard let snapshot = zones[zone] else { return nil }
        switch access(to: zone, for: session) {
        case .everything: return snapshot
        case .control: return snapshot.controlOnly
        case .nothing: return nil
        }
    }

    /// All zones as a session sees them, ascending.
    /// - Complexity: For a session of another account that of the zones that are shared with any account.
    func views(for session: PeerSession) -> [ZoneSnapshot] {
        let concerned = session.account == account ? zones.keys.sorted() : authorities.keys.sorted()
        return concerned.compactMap { view($0, for: session) }
    }

    /// Whether a session's device may receive now this device's writes above the ends of its logs.
    func takesDeposits(of zone: ZoneID, _ session: PeerSession) -> Bool {
        guard session.isActive else { return false }
        if session.account == account { return isRemoved && isFellow(session) && zones[zone] != nil }
        guard let authority = authorities[zone], authority.hasEnded(account) else { return false }
        return authority.rules(session.account)
            && authority.acceptance(from: session.device, in: session.account, at: wall) == .everything
    }

    /// Whether a device may receive more than control logs, as far as is known here.
    func shares(with device: DeviceID, of other: AccountID) -> Bool {
        guard other != account else { return standing(of: device, in: other) != .removed }
        return authorities.keys.contains { isShared($0, with: device, of: other) }
    }

    /// Whether a device of another account may receive a zone that is held here in full.
    func isShared(_ zone: ZoneID, with device: DeviceID, of other: AccountID) -> Bool {
        zones[zone] != nil && access(to: zone, for: device, of: other, at: wall) == .everything
    }

    // MARK: Zones at other devices

    /// Notes that a device holds a zone as it is here.
    /// - Returns: Whether that is new.
    mutating func noteHeld(_ snapshot: ZoneSnapshot, by device: DeviceID) -> Bool {
        guard held[device]?[snapshot.zone] != snapshot.state else { return false }
        held[device, default: [:]][snapshot.zone] = snapshot.state
        return true
    }

    /// Forgets the devices that an account has removed.
    mutating func forgetRemoved(by other: AccountID) {
        held = held.filter { standing(of: $0.key, in: other) != .removed }
    }
}
