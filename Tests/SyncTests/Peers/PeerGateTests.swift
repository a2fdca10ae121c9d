import Identity
import Sodium
import Sync
import Testing
import Wire

@Suite struct PeerGateTests {
    /// Returns the channel that a device opens; its payload may be another's.
    private func channel(
        _ home: Household.Home,
        claiming certificate: DeviceIdentity? = nil,
        heads: [Hash]? = nil,
        account: AccountID? = nil,
        door: PeerGate.Door = .account,
        version: ChannelVersion = .hybrid,
        remoteNewest: ChannelVersion = .hybrid
    ) throws -> PeerGate.Channel {
        let payload = HandshakePayload(
            certificate: try (certificate ?? home.keys).certificate(name: "x", issued: 1).signed.encoded,
            account: account ?? home.log.account,
            accountHeads: heads ?? home.log.announcedHeads,
            boot: [UInt8](repeating: 3, count: HandshakePayload.bootByteCount),
            wallMilliseconds: 1,
            listenPort: 7
        )
        return PeerGate.Channel(
            session: 5,
            payload: payload.encoded,
            staticKey: home.keys.agreementKey.publicKey,
            binding: [1, 2],
            isInitiator: true,
            door: door,
            version: version,
            remoteNewest: remoteNewest
        )
    }

    private func gate(
        _ household: Household,
        newest: ChannelVersion = .newest,
        pins: [DeviceID: ChannelVersion] = [:]
    ) -> PeerGate {
        let home = household.homes[0]
        return PeerGate(device: home.keys.deviceID, log: home.log, newest: newest, pins: pins)
    }

    @Test(arguments: [PeerGate.Door.account, .joining, .invitation])
    func `a channel in a lower version than both can speak, or ever spoke, is refused at every door`(
        _ door: PeerGate.Door
    ) throws {
        let household = try Household(2)
        let (other, log) = (household.homes[1].keys.deviceID, household.homes[0].log)
        func expected(
            _ version: ChannelVersion,
            says remoteNewest: ChannelVersion,
            newest: ChannelVersion = .newest,
            pinned: ChannelVersion? = nil
        ) throws -> ChannelVersion? {
            let gate = gate(household, newest: newest, pins: pinned.map { [other: $0] } ?? [:])
            let channel = try channel(household.homes[1], door: door, version: version, remoteNewest: remoteNewest)
            guard case .downgraded(let device, let account, let expected) = gate.decide(channel) else { return nil }
            #expect(device == other && account == log.account)
            return expected
        }
        #expect(try expected(.hybrid, says: .hybrid) == nil)
        #expect(try expected(.hybrid, says: .hybrid, pinned: .hybrid) == nil)
        // An old program, with which no other version was ever spoken.
        #expect(try expected(.classical, says: .classical) == nil)
        #expect(try expected(.classical, says: .classical, pinned: .classical) == nil)
        // An old program here.
        #expect(try expected(.classical, says: .hybrid, newest: .classical) == nil)
        // An attacker has kept the two from the second version, at the first contact.
        #expect(try expected(.classical, says: .hybrid) == .hybrid)
        // It has spoken the second one before.
        #expect(try expected(.classical, says: .classical, pinned: .hybrid) == .hybrid)
    }

    @Test func `a caller without a certificate gets no list of versions`() throws {
        let household = try Household(2)
        let channel = try channel(household.homes[1], claiming: household.homes[0].keys, version: .classical)
        guard case .violation = gate(household).decide(channel) else {
            Issue.record("not a violation")
            return
        }
    }

    @Test func `a member may stay, with the standing that our log gives it`() throws {
        let household = try Household(2)
        guard case .member(let opening, let payload) = gate(household).decide(try channel(household.homes[1])) else {
            Issue.record("refused")
            return
        }
        #expect(opening.session == 5 && opening.isInitiator && opening.binding == [1, 2])
        #expect(opening.device == household.homes[1].keys.deviceID && opening.standing == .active)
        #expect(opening.accountHeads == household.homes[1].log.announcedHeads && payload.listenPort == 7)
        var newcomer = try Household(1, seed: 8).homes[0]
        newcomer.log = household.homes[0].log
        guard case .member(let other, _) = gate(household).decide(try channel(newcomer)) else {
            Issue.record("refused")
            return
        }
        #expect(other.standing == .unknown)
    }

    @Test func `a certificate that the channel's key does not prove is a violation, a ticket or not`() throws {
        let household = try Household(2)
        for door in [PeerGate.Door.account, .joining, .invitation, .zone(Sample.zone(1))] {
            let lie = try channel(
                household.homes[1],
                claiming: household.homes[0].keys,
                door: door
            )
            guard case .violation = gate(household).decide(lie) else {
                Issue.record("taken in")
                return
            }
        }
        var cut = try channel(household.homes[1])
        cut.payload.removeLast()
        guard case .violation = gate(household).decide(cut) else {
            Issue.record("taken in")
            return
        }
    }

    @Test func `we ourselves, strangers and ticket holders are distinguished`() throws {
        let household = try Household(2)
        let stranger = try Household(1, seed: 9).homes[0]
        guard case .ourselves = gate(household).decide(try channel(household.homes[0])),
            case .otherAccount = gate(household).decide(try channel(stranger)),
            case .newcomer(let certificate, let payload) = gate(household).decide(try channel(stranger, door: .joining))
        else {
            Issue.record("mistaken")
            return
        }
        #expect(certificate.device == stranger.keys.deviceID && payload.account == stranger.log.account)
    }

    @Test(arguments: [PeerGate.Door.account, .joining, .invitation, .zone(Sample.zone(1))])
    func `a blocked account finds no door open`(_ door: PeerGate.Door) throws {
        let (household, stranger) = (try Household(1), try Household(1, seed: 9).homes[0])
        let gate = PeerGate(
            device: household.homes[0].keys.deviceID,
            log: household.homes[0].log,
            parties: [Sample.zone(1): [stranger.log.account]],
            open: [Sample.zone(1)],
            blocked: [stranger.log.account]
        )
        guard case .otherAccount = gate.decide(try channel(stranger, door: door)) else {
            Issue.record("it comes in")
            return
        }
    }

    @Test func `a zone's key admits the accounts of its participants, an invitation all that are not blocked`()
        throws
    {
        let household = try Household(1)
        let (log, guest) = (household.homes[0].log, try Household(1, seed: 9).homes[0])
        let zone = Sample.zone(1)
        func decide(
            _ door: PeerGate.Door,
            parties: Set<AccountID>,
            open: Set<ZoneID> = [],
            blocked: Set<AccountID> = []
        ) throws -> String {
            let gate = PeerGate(
                device: household.homes[0].keys.deviceID,
                log: log,
                contacts: parties.contains(guest.log.account) ? [guest.log.account: guest.log] : [:],
                parties: [zone: parties],
                open: open,
                blocked: blocked
            )
            return switch gate.decide(try channel(guest, door: door)) {
            case .member(let opening, _):
                opening.account == guest.log.account ? "\(opening.standing)" : "another account"
            case .otherAccount: "refused"
            case .invitee: "invitee"
            default: "other"
            }
        }
        let both: Set = [log.account, guest.log.account]
        #expect(try decide(.zone(zone), parties: both) == "active")
        #expect(try decide(.zone(zone), parties: [log.account]) == "refused")
        #expect(try decide(.zone(Sample.zone(2)), parties: both) == "refused")
        #expect(try decide(.zone(zone), parties: both, blocked: [guest.log.account]) == "refused")
        // Where all accounts may read, an unknown account is accepted too, as the one that it claims to be.
        #expect(try decide(.zone(zone), parties: [log.account], open: [zone]) == "unknown")
        #expect(try decide(.zone(zone), parties: [], open: [zone], blocked: [guest.log.account]) == "refused")
        #expect(try decide(.zone(Sample.zone(2)), parties: [log.account], open: [zone]) == "refused")
        #expect(try decide(.account, parties: both) == "refused")
        #expect(try decide(.invitation, parties: []) == "invitee")
        #expect(try decide(.invitation, parties: [], blocked: [guest.log.account]) == "refused")
    }

    @Test func `a removed device is admitted as such, with the heads that it reports`() throws {
        var household = try Household(2)
        let old = household.homes[1].log.heads
        let device = household.homes[1].keys.deviceID
        let entry = try household.homes[0].log.removingDevice(
            device,
            witness: household.homes[0].keys.deviceID,
            signer: .device(household.homes[0].keys),
            using: &household.random
        )
        try household.homes[0].log.insert(entry.encoded)
        guard case .member(let opening, _) = gate(household).decide(try channel(household.homes[1])) else {
            Issue.record("refused unheard")
            return
        }
        #expect(opening.device == device && opening.standing == .removed && opening.accountHeads == old)
    }
}
