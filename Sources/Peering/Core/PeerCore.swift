import Identity
package import Session
package import Sync
package import Wire

/// The decisions of one device about all others: which are called, and where; which channels become sessions; what is exchanged on them; who
/// joins the account, and who takes part in a zone.
///
/// It owns the synchronisation core and the state beside it, and has no clock, disk or network: a driver calls its functions within
/// ``step(in:at:wall:random:_:)``, and performs the effects. Changes of the account that must be durable first go through a ``PeerAccount``.
/// The daemon and the simulator drive the same core.
package struct PeerCore<Environment: PeerEnvironment>: Sendable {
    /// The address of a peer.
    package typealias Address = Environment.Address
    /// An instruction to the driver.
    package typealias Effect = PeerEffect<Address>

    /// The surroundings of a step, and its effects so far.
    package struct Turn {
        let account: Environment.Account
        /// Milliseconds of the monotonic clock.
        let now: UInt64
        /// Milliseconds since 1970.
        let wall: UInt64
        var random: Environment.Random
        var effects: [Effect] = []
        /// Effects of the synchronisation core that are not performed yet.
        var pending: [SyncEffect] = []
    }

    /// The state of the store, with which a process begins.
    package struct Start: Sendable {
        let authorities: [ZoneAuthority]
        let snapshots: [ZoneSnapshot]
        let peers: [PeerRow]
        let evictions: [EvictionRow]

        /// Reads the state.
        /// - Parameters:
        ///   - committer: The account and the time.
        ///   - transaction: A snapshot of the store.
        /// - Throws: `ReplicaError`, or an error of the store.
        package init(_ committer: Committer, in transaction: some NodeTransaction) throws {
            snapshots = try ZoneViews(committer).snapshots(transaction)
            authorities = try ZoneViews(committer).authorities(transaction)
            peers = try transaction.peers()
            evictions = try transaction.evictions(limit: .max)
        }
    }

    /// The replication of zones.
    package var sync: SyncCore { didSet { isSyncChanged = true } }
    /// The sessions, and the devices to call.
    package internal(set) var sessions: PeerSessions<Address> { didSet { isDirectoryChanged = true } }
    /// The keys by which devices of other accounts are found and called.
    package internal(set) var rendezvous = RendezvousKeys()
    /// The instances in sight.
    package internal(set) var sightings = Sightings<Environment.Sighting>()
    /// The joining of devices, on both sides.
    package internal(set) var joining = JoiningCore()
    /// The invitations, on both sides.
    package internal(set) var invitations = InvitationCore<Address>()
    /// Zones that may be joined.
    package internal(set) var offers = ZoneOffers()
    /// The facts of the account's book.
    package internal(set) var book = BookFacts()
    /// Addresses that people have named.
    private var configured: [Address] = []
    var search = AddressSearch<Address>()
    /// The addresses of the devices that this device has asked for admission.
    var admitting: [SessionID: Address] = [:]
    /// The state by which the renewal of the account's key is decided.
    private var fleetKeeping = FleetKeeping()
    private var fleetKeyDue: UInt64?
    /// The entry that made the key in use, as it was reported last.
    var toldFleetKey: Hash?
    /// The highest version of the channel that is spoken here.
    private(set) var newest: ChannelVersion
    private var isSyncChanged = true
    var isDirectoryChanged = true
    private var nextSyncDue: UInt64?
    /// When the synchronisation core was given its last input.
    private var lastInput: UInt64 = 0
    /// Whether the synchronisation core asked for a time that had passed when it was given its last input: a driver that obeyed would spin.
    package private(set) var spins = false
    private var nextDialDue: UInt64?

    /// Starts without peers.
    /// - Parameters:
    ///   - sync: The synchronisation core, before its first input.
    ///   - device: This device.
    ///   - newest: The highest version of the channel that it speaks.
    package init(_ sync: SyncCore, device: DeviceID, newest: ChannelVersion = .newest) {
        self.sync = sync
        self.newest = newest
        sessions = PeerSessions(device: device, newest: newest)
    }

    // MARK: Steps

    /// Makes a step.
    /// - Parameters:
    ///   - account: The account of this device.
    ///   - now: Milliseconds of the monotonic clock.
    ///   - wall: Milliseconds since 1970.
    ///   - random: The source of randomness.
    ///   - body: Calls functions of this core.
    /// - Returns: The effects, to be performed in order.
    package mutating func step(
        in account: Environment.Account,
        at now: UInt64,
        wall: UInt64,
        random: inout Environment.Random,
        _ body: (inout Self, inout Turn) throws -> Void
    ) rethrows -> [Effect] {
        var turn = Turn(account: account, now: now, wall: wall, random: random)
        defer { random = turn.random }
        try body(&self, &turn)
        var done = 0
        while done < turn.pending.count {
            perform(turn.pending[done], in: &turn)
            done += 1
            assert(done < 100_000, "the effects of a step come to an end")
        }
        return turn.effects
    }

    /// Gives the synchronisation core an input.
    /// - Parameters:
    ///   - input: The input.
    ///   - turn: The step.
    package mutating func feed(_ input: SyncInput, in turn: inout Turn) {
        lastInput = turn.now
        sync.handle(input, at: turn.now, wall: turn.wall, random: &turn.random, into: &turn.pending)
    }

    /// Takes the state with which the process begins.
    /// - Parameters:
    ///   - start: The state of the store.
    ///   - turn: The step.
    package mutating func begin(_ start: Start, in turn: inout Turn) {
        accountChanged(suppliesKeys: false, in: &turn)
        for (_, log) in turn.account.contactLogs.sorted(by: { $0.key < $1.key }) { report(log, in: &turn) }
        for authority in start.authorities { rightsChanged(authority, in: &turn) }
        for snapshot in start.snapshots { feed(.zoneChanged(snapshot, before: [:]), in: &turn) }
        // Before a session can ask for a promise.
        if !start.evictions.isEmpty { feed(.evictionsFound(start.evictions), in: &turn) }
        let plan = routes(turn.account)
        for peer in start.peers {
            if let version = peer.channelVersion { _ = sessions.directory.pin(peer.device, at: version) }
            let keys = plan.keys(reaching: peer.device)
            guard !keys.isEmpty else { continue }
            let addresses = peer.addresses.compactMap { Address($0) }
            let routes = addresses.flatMap { address in keys.map { PeerRoute(address: address, key: $0) } }
            sessions.directory.remember(peer.device, addresses: routes)
        }
    }

    /// Does what is due: renews the account's key, ends offers, and calls peers.
    /// - Parameters:
    ///   - mayDial: Whether this device can call others.
    ///   - nextDial: Returns the number of another dial.
    ///   - turn: The step.
    package mutating func doDue(mayDial: Bool, nextDial: () -> UInt64, in turn: inout Turn) {
        renewFleetKeyIfDue(in: &turn)
        endExpiredOffers(in: &turn)
        guard mayDial else { return }
        dial(nextDial: nextDial, in: &turn)
    }

    /// Returns the time at which ``doDue(mayDial:nextDial:in:)`` and the input `tick` are due next.
    /// - Parameter now: Milliseconds of the monotonic clock.
    /// - Returns: `nil` while nothing is; a time that may have passed.
    package mutating func nextDue(at now: UInt64) -> UInt64? {
        if isSyncChanged {
            isSyncChanged = false
            nextSyncDue = sync.nextDeadline
            spins = nextSyncDue.map { $0 <= lastInput } ?? false
        }
        return [nextSyncDue, nextDialDue, fleetKeyDue, search.admission?.nextDue, invitations.nextDue(at: now)]
            .compactMap(\.self).min()
    }

    /// Sets the highest version of the channel that is spoken here, before the first step.
    /// - Parameters:
    ///   - version: The version.
    ///   - device: This device.
    package mutating func speak(upTo version: ChannelVersion, as device: DeviceID) {
        newest = version
        sessions = PeerSessions(device: device, newest: version)
    }

    // MARK: Routes

    /// Returns the ways to peers, by the present keys and logs.
    /// - Parameter account: The account of this device.
    /// - Returns: The plan.
    package func routes(_ account: Environment.Account) -> RoutePlan {
        RoutePlan(
            fleet: account.fleetKeys,
            zones: rendezvous,
            account: account.accountState,
            contacts: account.contactLogs.mapValues(\.state)
        )
    }

    /// The secrets under which a device that wants to join may connect.
    package var joiningSecrets: [ChannelSecret] {
        let tickets = (joining.offer.map { [$0.offer.ticket] } ?? []) + joining.retired.map(\.ticket)
        return joining.enrolments.offers.map(\.token.channelSecret) + tickets.map(\.channelSecret)
    }

    /// The secrets under which devices of other accounts may connect: those of invitations and of shared zones.
    package var sharingSecrets: [ChannelSecret] { book.inviteSecrets + rendezvous.accepted }

    /// The addresses to try in a search.
    var searchAddresses: [Address] {
        var seen: Set<Address> = []
        let all = sightings.all.map(\.address) + sessions.directory.searchAddresses.map(\.address)
        return Array(all.filter { seen.insert($0).inserted }.prefix(AddressSearch<Address>.addressCountMax))
    }

    /// Calls these addresses too, whichever devices are there.
    /// - Parameters:
    ///   - addresses: The addresses; known ones change nothing.
    ///   - turn: The step.
    package mutating func configure(_ addresses: [Address], in turn: inout Turn) {
        for address in addresses where !configured.contains(address) { configured.append(address) }
        configureRoutes(in: &turn)
    }

    private mutating func configureRoutes(in turn: inout Turn) {
        sessions.directory.setStatic(routes(turn.account).routes(to: configured))
    }

    /// Follows a change of the keys by which devices of other accounts are found and called.
    mutating func rendezvousChanged(in turn: inout Turn) {
        turn.effects.append(.secretsChanged)
        configureRoutes(in: &turn)
        reconsiderSightings(in: &turn)
        turn.effects.append(.announce)
    }

    // MARK: Discovery

    /// Takes a sighting.
    /// - Parameters:
    ///   - sighting: The sighting; not of this process.
    ///   - turn: The step.
    package mutating func sighted(_ sighting: Environment.Sighting, in turn: inout Turn) {
        sightings.insert(sighting)
        consider(sighting.instanceName, by: routes(turn.account), in: &turn)
    }

    /// Takes the goodbye of an instance on one interface, or its expiry there.
    /// - Parameters:
    ///   - instance: The name of the instance.
    ///   - interfaceName: The interface.
    package mutating func withdrawn(_ instance: String, interfaceName: String) {
        if sightings.remove(instance, interfaceName: interfaceName) {
            sessions.directory.withdrawn(instance: instance)
        }
    }

    /// Calls devices again that could not be reached, since the network has changed.
    package mutating func networkChanged() { sessions.directory.forgetFailures() }

    /// Evaluates all that is in sight again, after the keys have changed.
    mutating func reconsiderSightings(in turn: inout Turn) {
        let plan = routes(turn.account)
        for instance in sightings.instances { consider(instance, by: plan, in: &turn) }
    }

    /// Calls an instance that is recognised.
    ///
    /// The newest sighting tells its keys: at an address where it is no longer, it announced those of that time.
    private mutating func consider(_ instance: String, by plan: RoutePlan, in turn: inout Turn) {
        let seen = sightings[instance]
        guard let newest = seen.first, let key = key(of: newest, by: plan, at: turn.wall) else { return }
        // An instance that has another key now is not called by the former one any more.
        if sightings.recognise(instance, by: key) { sessions.directory.withdrawn(instance: instance) }
        for sighting in seen.reversed() {
            sessions.directory.sighted(instance: instance, address: PeerRoute(address: sighting.address, key: key))
        }
    }

    /// The key by which to call the instance of a sighting; `nil` for a stranger.
    private func key(of sighting: Environment.Sighting, by plan: RoutePlan, at wall: UInt64) -> PeerKey? {
        if let entry = sighting.fleetEntry(recognisedBy: plan.fleet, at: wall) { return plan.key(announced: entry) }
        return sighting.zone(recognisedBy: rendezvous, at: wall).map { .zone($0) }
    }

    // MARK: Calls

    /// Takes the end of a dial that led to no channel.
    /// - Parameters:
    ///   - dial: Its number.
    ///   - obstacle: The cause; `nil` where this device reached itself.
    ///   - turn: The step.
    package mutating func dialFailed(_ dial: UInt64, because obstacle: DialObstacle?, in turn: inout Turn) {
        guard !search.failed(dial, isIgnored: obstacle == .ignored) else { return }
        switch obstacle {
        case nil: sessions.directory.connected(dial: dial, device: turn.account.certificate.device)
        case .ignored:
            let plan = routes(turn.account)
            sessions.directory.dialIgnored(dial, at: turn.now, random: &turn.random) {
                plan.alternatives(to: $0, at: $1)
            }
        case .silence?, .refused?, .noRoute?, .other?:
            sessions.directory.dialFailed(dial, because: obstacle, at: turn.now, random: &turn.random)
        }
    }

    private mutating func dial(nextDial: () -> UInt64, in turn: inout Turn) {
        dialForSearches(nextDial: nextDial, in: &turn)
        guard isDirectoryChanged || nextDialDue.map({ $0 <= turn.now }) ?? false else { return }
        defer { isDirectoryChanged = false }
        // No peer serves a removed device, which calls only to deliver its late writes.
        guard !turn.account.isRemoved || sync.hasLateWrites else {
            nextDialDue = nil
            return
        }
        let plan = routes(turn.account)
        for (dial, route, version) in sessions.directory.due(at: turn.now, nextDial: nextDial) {
            guard let secret = plan.secret(of: route.key) else {
                sessions.directory.dialFailed(dial, at: turn.now, random: &turn.random)
                continue
            }
            turn.effects.append(
                .dial(PeerDial<Address>(id: dial, address: route.address, secret: secret, version: version))
            )
        }
        nextDialDue = sessions.directory.nextDue
    }

    private mutating func dialForSearches(nextDial: () -> UInt64, in turn: inout Turn) {
        func begin(_ address: Address, _ secret: ChannelSecret, _ version: ChannelVersion) {
            let dial = PeerDial<Address>(id: nextDial(), address: address, secret: secret, version: version)
            search.begin(dial)
            turn.effects.append(.dial(dial))
        }
        for (address, secret) in search.takeRepeated() { begin(address, secret, .classical) }
        let addresses = search.admission == nil && invitations.attempts.isEmpty ? [] : searchAddresses
        if let secret = search.admission?.secret, joining.search?.outcome == nil {
            for address in search.due(addresses, at: turn.now) { begin(address, secret, newest) }
        }
        guard !invitations.attempts.isEmpty, !turn.account.isRemoved else { return }
        changeInvitations(in: &turn) { $0.forgetExpired(at: $1.wall, into: &$2) }
        for (address, secret) in invitations.due(addresses, room: search.room, at: turn.now) {
            begin(address, secret, newest)
        }
    }

    // MARK: The account's key

    /// Counts the days of retired keys, and makes another key where a removed device may have the present one and this device's turn has come.
    private mutating func renewFleetKeyIfDue(in turn: inout Turn) {
        let hasRetired = !turn.account.fleetKeys.order.earlier.isEmpty
        if hasRetired, fleetKeeping.counts(at: turn.now) {
            report(failureOf: .retirement, in: &turn) { try $0.countRetiredDays() }
        }
        guard turn.account.canReplaceKeys else { return }
        switch fleetKeeping.step(turn.account.accountState, own: turn.account.certificate.device, at: turn.now) {
        case .rest:
            fleetKeyDue = hasRetired ? fleetKeeping.countsAt : nil
        case .wait(let due):
            fleetKeyDue = due
        case .make:
            fleetKeyDue = turn.now + FleetKeeping.longestMilliseconds
            var isMade = false
            report(failureOf: .renewal, in: &turn) { isMade = try $0.replaceFleetKey() }
            if isMade { accountChanged(suppliesKeys: true, in: &turn) }
        }
    }

    func report(
        failureOf kind: PeerReport.SecretKind,
        in turn: inout Turn,
        _ body: (Environment.Account) throws -> Void
    ) {
        do {
            try body(turn.account)
        } catch {
            turn.effects.append(.report(.secretNotStored(kind, error)))
        }
    }
}
