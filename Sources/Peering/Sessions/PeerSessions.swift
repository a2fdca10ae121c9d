import Identity
import Session
package import Sync
package import Wire

/// The sessions of a device: which channels become sessions, which of two sessions with one device stays, and where and when their devices
/// are called again.
///
/// The channels are the driver's. The effects of each function are to be performed in their order.
package struct PeerSessions<Address: Hashable & Sendable & CustomStringConvertible>: Sendable {
    /// A session with the device at the other end of a channel.
    package struct Session: Sendable {
        /// The device.
        package let device: DeviceID
        /// The account that the device belongs to.
        package let account: AccountID
        /// The version of the channel.
        package let version: ChannelVersion
        /// The address at which the device can be called; `nil` for one that states none.
        package let address: Address?
        /// Its clock's reading in the handshake, in milliseconds since 1970.
        package let wallMilliseconds: UInt64
        /// The time at which the session began, by the monotonic clock, in milliseconds.
        package let openedAt: UInt64
        /// Decides when a meeting with the device is stored.
        ///
        /// Meetings with strangers are not stored, so that they cannot fill the store.
        fileprivate var meeting = Meeting()
        /// Whether this side has decided to close: later messages are dropped.
        package fileprivate(set) var isClosing = false
    }

    /// The devices to call, and their addresses.
    package var directory: PeerDirectory<PeerRoute<Address>>
    private let device: DeviceID
    private var arbiter: SessionArbiter
    private var all: [SessionID: Session] = [:]
    /// Members whose last channel was refused because its version was lower than they support.
    package private(set) var downgraded: Set<DeviceID> = []

    /// Starts without sessions.
    /// - Parameters:
    ///   - device: This device.
    ///   - newest: The highest version of the channel that it speaks.
    package init(device: DeviceID, newest: ChannelVersion = .newest) {
        self.device = device
        directory = PeerDirectory(localDevice: device, newest: newest)
        arbiter = SessionArbiter(localDevice: device)
    }

    /// The numbers of the sessions, ascending.
    package var ids: [SessionID] { all.keys.sorted() }

    /// Returns a session.
    /// - Parameter id: Its number.
    /// - Returns: `nil` for a channel that is none (any more).
    package subscript(_ id: SessionID) -> Session? { all[id] }

    /// Returns whether a session takes and sends messages.
    /// - Parameter id: Its number.
    /// - Returns: False for a channel that is no session, and for a session that is closing.
    package func isOpen(_ id: SessionID) -> Bool { all[id]?.isClosing == false }

    // MARK: Beginning

    /// Decides about a channel that was opened.
    /// - Parameters:
    ///   - channel: The channel.
    ///   - dial: The dial that led to it; `nil` if the other side dialled.
    ///   - gate: The gate of this moment.
    ///   - routes: The routes of this moment.
    ///   - now: Milliseconds of the monotonic clock.
    ///   - random: For the times of the next dials.
    ///   - address: Returns the address at which the device can be called, by its payload.
    ///   - effects: The effects are added here.
    package mutating func opened(
        _ channel: PeerGate.Channel,
        dial: UInt64?,
        gate: PeerGate,
        routes: RoutePlan,
        at now: UInt64,
        random: inout some RandomNumberGenerator,
        address: (HandshakePayload) -> Address?,
        into effects: inout [SessionEffect]
    ) {
        let id = channel.session
        switch gate.decide(channel) {
        case .violation:
            effects.append(.report(.noCertificate(id)))
            refuse(id, dial: dial, .violation, routes: routes, at: now, random: &random, into: &effects)
        case .ourselves:
            directory.connected(dial: dial, device: device)
            effects.append(.close(id, .goodbye))
        case .downgraded(let other, let account, let expected):
            // The dial is treated as failed and not as refused: the machine in between may be gone a moment later.
            if let dial { directory.dialFailed(dial, at: now, random: &random) }
            // Any account can make devices; only of members is anything stored, or shown to people.
            let isMember = routes.key(reaching: other, of: account) != nil
            effects.append(.close(id, .refused))
            if isMember {
                pin(other, at: expected, into: &effects)
                downgraded.insert(other)
            }
            effects.append(.report(.downgraded(id, other, expected: expected, isMember: isMember)))
        case .newcomer(let certificate, let payload):
            effects.append(.join(id, certificate, payload))
        case .invitee(let certificate, let payload):
            effects.append(.invite(id, certificate, payload))
        case .otherAccount(let account):
            effects.append(.report(.otherAccount(id)))
            refuse(id, dial: dial, .refused, of: account, routes: routes, at: now, random: &random, into: &effects)
        case .member(let opening, let payload):
            let session = Session(
                device: opening.device,
                account: opening.account,
                version: channel.version,
                address: address(payload),
                wallMilliseconds: payload.wallMilliseconds,
                openedAt: now
            )
            begin(session, opening, payload, dial: dial, routes: routes, into: &effects)
        }
    }

    private mutating func begin(
        _ session: Session,
        _ opening: SessionOpening,
        _ payload: HandshakePayload,
        dial: UInt64?,
        routes: RoutePlan,
        into effects: inout [SessionEffect]
    ) {
        let (id, other) = (opening.session, opening.device)
        directory.connected(dial: dial, device: other)
        let entry = SessionArbiter.Entry(
            connection: id,
            boot: payload.boot,
            isInitiator: opening.isInitiator,
            openedAt: session.openedAt
        )
        switch arbiter.opened(entry, device: other) {
        case .refuse: return effects.append(.close(id, .duplicate))
        case .replace(let older): close(older, .duplicate, into: &effects)
        case .keep: break
        }
        all[id] = session
        effects.append(.report(.opened(opening, payload)))
        effects.append(.feed(.opened(opening)))
        if opening.isByEarlierKey {
            // It is there, and is called by the present key from now on.
            directory.forgetAddresses(of: other) { if case .earlier = $0.key { true } else { false } }
        }
        if downgraded.remove(other) != nil { effects.append(.report(.versionRestored(other))) }
        remember(id, routes: routes, at: session.openedAt, into: &effects)
        assertValid()
    }

    /// Refuses a channel that is no session.
    /// - Parameters:
    ///   - id: The channel.
    ///   - dial: The dial that led to it.
    ///   - code: The code for the peer.
    ///   - account: The account of its device, if that is known.
    ///   - routes: The routes of this moment.
    ///   - now: Milliseconds of the monotonic clock.
    ///   - random: For the times of the next dials.
    ///   - effects: The effects are added here.
    package mutating func refuse(
        _ id: SessionID,
        dial: UInt64?,
        _ code: SyncCloseCode,
        of account: AccountID? = nil,
        routes: RoutePlan,
        at now: UInt64,
        random: inout some RandomNumberGenerator,
        into effects: inout [SessionEffect]
    ) {
        if let dial {
            directory.refused(dial, at: now, random: &random) {
                routes.alternatives(to: $0, reaching: account.map { [$0] } ?? [])
            }
        }
        effects.append(.close(id, code))
    }

    // MARK: Members

    /// Forgets the devices that were removed from an account and can be reached by no other, after any change of the account's log; all
    /// that were refused may be called again.
    /// - Parameters:
    ///   - standings: The devices that the log knows.
    ///   - account: The account of the log.
    ///   - routes: The routes of this moment.
    package mutating func logChanged(
        _ standings: [DeviceID: Standing],
        of account: AccountID,
        routes: RoutePlan
    ) {
        for (device, standing) in standings where standing == .removed {
            if routes.keys(reaching: device).isEmpty {
                directory.forget(device)
            } else if account == routes.account.account {
                // Another account claims the device: it is called by a zone's key alone.
                directory.forgetAddresses(of: device) { if case .zone = $0.key { false } else { true } }
            }
        }
        directory.forgetRefusals()
    }

    /// Notes the meetings with the devices that were found to be members since, after any change of an account's log or of a zone's rights.
    /// - Parameters:
    ///   - routes: The routes of this moment.
    ///   - now: Milliseconds of the monotonic clock.
    ///   - effects: The effects are added here.
    package mutating func rememberMembers(
        routes: RoutePlan,
        at now: UInt64,
        into effects: inout [SessionEffect]
    ) {
        for id in ids { remember(id, routes: routes, at: now, into: &effects) }
    }

    /// Remembers the address of a member, for use when mDNS does not work.
    private mutating func remember(
        _ id: SessionID,
        routes: RoutePlan,
        at now: UInt64,
        into effects: inout [SessionEffect]
    ) {
        guard let session = all[id], !session.isClosing,
            let key = routes.key(reaching: session.device, of: session.account),
            all[id]?.meeting.begin(at: now) == true
        else { return }
        pin(session.device, at: session.version, into: &effects)
        effects.append(
            .heardClock(session.wallMilliseconds, of: session.device, session.account, at: session.openedAt)
        )
        if let address = session.address {
            directory.remember(session.device, addresses: [PeerRoute(address: address, key: key)])
        }
        effects.append(.write(.met(session.device, at: session.address?.description)))
    }

    /// Remembers which version was spoken with a member, for good.
    private mutating func pin(_ device: DeviceID, at version: ChannelVersion, into effects: inout [SessionEffect]) {
        if directory.pin(device, at: version) { effects.append(.write(.spoke(version, device))) }
    }

    /// Takes a measurement of a device's clock, which also shows that the device is still connected.
    /// - Parameters:
    ///   - device: The device.
    ///   - skew: Its clock minus this one, in milliseconds.
    ///   - now: Milliseconds of the monotonic clock.
    ///   - wall: Milliseconds since 1970.
    ///   - effects: The effects are added here.
    package mutating func measured(
        _ device: DeviceID,
        skewMilliseconds skew: Int64,
        at now: UInt64,
        wall: UInt64,
        into effects: inout [SessionEffect]
    ) {
        // A stranger's clock is no evidence.
        for id in ids {
            guard let session = all[id], session.device == device, session.meeting.hasBegun else { continue }
            let theirs = Int64(clamping: wall).addingReportingOverflow(skew).partialValue
            effects.append(.heardClock(UInt64(clamping: theirs), of: device, session.account, at: now))
            if all[id]?.meeting.goesOn(at: now) == true { effects.append(.write(.met(device, at: nil))) }
        }
    }

    // MARK: Ending

    /// Ends a session: the core does not use it any more, and its channel is closed.
    /// - Parameters:
    ///   - id: The session.
    ///   - code: The code for the peer.
    ///   - effects: The effects are added here.
    package mutating func close(_ id: SessionID, _ code: SyncCloseCode, into effects: inout [SessionEffect]) {
        guard all[id] != nil else { return }
        all[id]?.isClosing = true
        effects.append(.close(id, code))
        effects.append(.feed(.closed(id)))
        effects.append(.report(.closing(id)))
    }

    /// Notes that the core has ended a session, whose channel the driver closes.
    /// - Parameter id: The session.
    package mutating func closing(_ id: SessionID) { all[id]?.isClosing = true }

    /// Ends all sessions with a goodbye, since the process ends.
    /// - Parameters:
    ///   - now: Milliseconds of the monotonic clock.
    ///   - effects: The effects are added here; none for the core.
    package mutating func sayGoodbye(at now: UInt64, into effects: inout [SessionEffect]) {
        for id in ids {
            guard let session = all[id] else { continue }
            if session.meeting.ends(at: now) { effects.append(.write(.met(session.device, at: nil))) }
        }
        leaveAccount(into: &effects)
    }

    /// Ends all sessions with a goodbye, since this device belongs to another account, which has met none of these devices.
    /// - Parameter effects: The effects are added here; none for the core.
    package mutating func leaveAccount(into effects: inout [SessionEffect]) {
        for id in ids {
            all[id]?.isClosing = true
            all[id]?.meeting = Meeting()
            effects.append(.close(id, .goodbye))
        }
    }

    /// Takes the end of a channel.
    /// - Parameters:
    ///   - id: The channel.
    ///   - isRefused: Whether the other side closed it with the code ``SyncCloseCode/refused``.
    ///   - routes: The routes of this moment.
    ///   - now: Milliseconds of the monotonic clock.
    ///   - random: For the time of the next dial.
    ///   - shares: Whether this device and the session's have anything to exchange.
    ///   - effects: The effects are added here; none for a channel that was no session.
    package mutating func closed(
        _ id: SessionID,
        isRefused: Bool,
        routes: RoutePlan,
        at now: UInt64,
        random: inout some RandomNumberGenerator,
        shares: Bool,
        into effects: inout [SessionEffect]
    ) {
        assertValid()
        guard let session = all.removeValue(forKey: id) else { return }
        if session.meeting.ends(at: now) { effects.append(.write(.met(session.device, at: nil))) }
        effects.append(.feed(.closed(id)))
        effects.append(.report(.closing(id)))
        guard arbiter.closed(id, device: session.device) else { return }
        directory.disconnected(device: session.device, at: now, random: &random)
        if isRefused {
            directory.turnedAway(by: session.device) { routes.alternatives(to: $0, reaching: [session.account]) }
        }
        // Nothing is shared any more: the device is dialled again when that changes, or after minutes.
        if !shares {
            directory.refused(device: session.device, at: now, random: &random)
        }
    }
}

extension PeerSessions: Validated {
    package func checkRules() throws(BrokenRule) {
        let open = all.values.filter { !$0.isClosing }
        try mustHold(
            Set(open.map(\.device)).count == open.count,
            "a device has one session, and others that are closing"
        )
        try mustHold(open.allSatisfy { $0.device != device }, "a device has no session with itself")
        try mustHold(
            open.allSatisfy { session in
                !session.meeting.hasBegun || directory.pins[session.device].map { $0 >= session.version } ?? false
            },
            "the version that was spoken with a member is noted"
        )
    }

    package func checkCostlyRules() throws(BrokenRule) {
        try directory.checkRules()
        try directory.checkCostlyRules()
    }
}
