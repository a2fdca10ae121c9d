import Identity
import Peering
import Session
import Sodium
import Sync
import TestSupport
import Testing
import Wire

@Suite struct `The sessions of a device` {
    /// A device with another one of its account, and one of a stranger.
    private struct Scene {
        let household: Household
        let stranger: Household
        var sessions: PeerSessions<String>
        var random = SeededGenerator(seed: 1)
        var now: UInt64 = 1_000

        init() throws {
            household = try Household(2)
            stranger = try Household(1, seed: 8)
            sessions = PeerSessions(device: household.homes[0].keys.deviceID)
        }

        var other: DeviceID { household.homes[1].keys.deviceID }

        var routes: RoutePlan {
            let home = household.homes[0]
            return RoutePlan(
                fleet: FleetChannelKeys(household.keyring, home.log.state.fleet),
                zones: RendezvousKeys(),
                account: home.log.state,
                contacts: [:]
            )
        }

        /// Opens a channel with the other device.
        mutating func open(
            _ id: SessionID,
            from home: Household.Home? = nil,
            boot: UInt8 = 3,
            isInitiator: Bool = true,
            version: ChannelVersion = .hybrid
        ) throws -> [SessionEffect] {
            let home = home ?? household.homes[1]
            let payload = HandshakePayload(
                certificate: try home.keys.certificate(name: "x", issued: 1).signed.encoded,
                account: home.log.account,
                accountHeads: home.log.announcedHeads,
                boot: [UInt8](repeating: boot, count: HandshakePayload.bootByteCount),
                wallMilliseconds: 77,
                listenPort: 7
            )
            let channel = PeerGate.Channel(
                session: id,
                payload: payload.encoded,
                staticKey: home.keys.agreementKey.publicKey,
                binding: [1, 2],
                isInitiator: isInitiator,
                door: .account,
                version: version,
                remoteNewest: .hybrid
            )
            let own = household.homes[0]
            let gate = PeerGate(device: own.keys.deviceID, log: own.log, pins: sessions.directory.pins)
            var effects: [SessionEffect] = []
            sessions.opened(
                channel,
                dial: nil,
                gate: gate,
                routes: routes,
                at: now,
                random: &random,
                address: { "there:\($0.listenPort)" },
                into: &effects
            )
            return effects
        }

        mutating func end(_ id: SessionID, shares: Bool = true) -> [SessionEffect] {
            var effects: [SessionEffect] = []
            sessions.closed(
                id,
                isRefused: false,
                routes: routes,
                at: now,
                random: &random,
                shares: shares,
                into: &effects
            )
            return effects
        }

        mutating func measure(_ skew: Int64) -> [SessionEffect] {
            var effects: [SessionEffect] = []
            sessions.measured(other, skewMilliseconds: skew, at: now, wall: 1_000_000, into: &effects)
            return effects
        }
    }

    @Test func `remember a member with its version, its clock and its address`() throws {
        var scene = try Scene()
        let effects = try scene.open(1)
        #expect(scene.sessions.isOpen(1) && scene.sessions[1]?.device == scene.other)
        #expect(effects.inputs.contains { if case .opened(let opening) = $0 { opening.session == 1 } else { false } })
        #expect(effects.meetings == ["there:7"])
        #expect(effects.versions == [.hybrid])
        #expect(effects.clocks == [77])
        #expect(scene.sessions.directory.addresses(of: scene.other).map(\.address.address) == ["there:7"])
    }

    @Test func `refuse an account that shares nothing, and store nothing of it`() throws {
        var scene = try Scene()
        let effects = try scene.open(1, from: scene.stranger.homes[0])
        #expect(effects.closed == [1: .refused])
        #expect(!scene.sessions.isOpen(1) && scene.sessions.ids.isEmpty)
        #expect(effects.meetings.isEmpty && effects.versions.isEmpty && effects.clocks.isEmpty)
        #expect(effects.inputs.isEmpty)
    }

    @Test func `report a member that comes in a lower version, until it comes in the expected one`() throws {
        var scene = try Scene()
        let refused = try scene.open(1, version: .classical)
        #expect(refused.closed == [1: .refused])
        #expect(scene.sessions.downgraded == [scene.other] && refused.versions == [.hybrid])
        #expect(scene.sessions.directory.pins[scene.other] == .hybrid)
        let taken = try scene.open(2)
        #expect(taken.closed.isEmpty && scene.sessions.downgraded.isEmpty)
        #expect(taken.contains { if case .report(.versionRestored(scene.other)) = $0 { true } else { false } })
    }

    @Test func `store nothing of a stranger that comes in a lower version`() throws {
        var scene = try Scene()
        let effects = try scene.open(1, from: scene.stranger.homes[0], version: .classical)
        #expect(effects.closed == [1: .refused] && effects.versions.isEmpty && scene.sessions.downgraded.isEmpty)
    }

    @Test func `end the older of two sessions with one device, for the core first`() throws {
        var scene = try Scene()
        _ = try scene.open(1)
        scene.now += 1_000
        // Another process of the device: the session with the earlier one is dead.
        let effects = try scene.open(2, boot: 4)
        #expect(effects.closed == [1: .duplicate])
        #expect(!scene.sessions.isOpen(1) && scene.sessions.isOpen(2))
        let inputs = effects.inputs.compactMap { input -> SessionID? in
            switch input {
            case .closed(let id): id
            case .opened(let opening): opening.session
            default: nil
            }
        }
        #expect(inputs == [1, 2], "the core has one session with a device at a time")
    }

    @Test func `note a meeting at its beginning, once an hour, and at its end`() throws {
        var scene = try Scene()
        #expect(try scene.open(1).meetings == ["there:7"])
        scene.now += 60_000
        #expect(scene.measure(5).meetings.isEmpty)
        scene.now += Meeting.intervalMilliseconds
        #expect(scene.measure(5).meetings == [nil])
        scene.now += Meeting.endMillisecondsMin
        #expect(scene.end(1).meetings == [nil])
        #expect(scene.end(1).isEmpty, "a channel ends once")
    }

    @Test func `take a member's clock from each measurement, and no stranger's`() throws {
        var scene = try Scene()
        #expect(scene.measure(5).isEmpty, "there is no session")
        _ = try scene.open(1)
        #expect(scene.measure(5).clocks == [1_000_005])
        #expect(scene.measure(-5).clocks == [999_995])
        #expect(scene.measure(.max).clocks.count == 1, "a sum beyond the range of numbers is no trap")
        #expect(scene.measure(.min).clocks == [0])
    }

    @Test func `drop messages once a session is closing, and still take its end`() throws {
        var scene = try Scene()
        _ = try scene.open(1)
        var effects: [SessionEffect] = []
        scene.sessions.close(1, .violation, into: &effects)
        #expect(effects.closed == [1: .violation] && !scene.sessions.isOpen(1))
        #expect(scene.sessions.ids == [1])
        _ = scene.end(1)
        #expect(scene.sessions.ids.isEmpty)
    }

    @Test func `say goodbye to all, and note for how long they were there`() throws {
        var scene = try Scene()
        _ = try scene.open(1)
        scene.now += Meeting.endMillisecondsMin
        var effects: [SessionEffect] = []
        scene.sessions.sayGoodbye(at: scene.now, into: &effects)
        #expect(effects.closed == [1: .goodbye] && effects.meetings == [nil])
        #expect(!scene.sessions.isOpen(1))
    }

    @Test func `store nothing more of the devices that were met in another account`() throws {
        var scene = try Scene()
        _ = try scene.open(1)
        scene.now += Meeting.endMillisecondsMin
        var effects: [SessionEffect] = []
        scene.sessions.leaveAccount(into: &effects)
        scene.sessions.rememberMembers(routes: scene.routes, at: scene.now, into: &effects)
        effects += scene.measure(5)
        effects += scene.end(1)
        #expect(effects.closed == [1: .goodbye])
        #expect(effects.meetings.isEmpty && effects.versions.isEmpty && effects.clocks.isEmpty)
    }

    @Test func `forget the addresses of a removed device that no other account claims`() throws {
        var scene = try Scene()
        _ = try scene.open(1)
        let account = scene.household.homes[0].log.account
        scene.sessions.logChanged([scene.other: .active], of: account, routes: scene.routes)
        #expect(!scene.sessions.directory.addresses(of: scene.other).isEmpty)
        var routes = scene.routes
        routes.account = scene.stranger.homes[0].log.state
        scene.sessions.logChanged([scene.other: .removed], of: account, routes: routes)
        #expect(scene.sessions.directory.addresses(of: scene.other).isEmpty)
    }
}

extension [SessionEffect] {
    fileprivate var inputs: [SyncInput] {
        compactMap { if case .feed(let input) = $0 { input } else { nil } }
    }

    fileprivate var closed: [SessionID: SyncCloseCode] {
        reduce(into: [:]) { if case .close(let id, let code) = $1 { $0[id] = code } }
    }

    /// The addresses with which meetings are stored.
    fileprivate var meetings: [String?] {
        compactMap { if case .write(.met(_, let address)) = $0 { .some(address) } else { nil } }
    }

    fileprivate var versions: [ChannelVersion] {
        compactMap { if case .write(.spoke(let version, _)) = $0 { version } else { nil } }
    }

    fileprivate var clocks: [UInt64] {
        compactMap { if case .heardClock(let wall, _, _, _) = $0 { wall } else { nil } }
    }
}
