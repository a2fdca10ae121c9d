import Capabilities
import Identity
import Sodium
import Testing
import Wire

@testable import Simulator

@Suite struct RightsModelTests {
    private let owner: FoundedAccount
    private let guest: FoundedAccount
    private let zone: ZoneID
    private var random = SeededGenerator(seed: 7)

    init() throws {
        owner = try FoundedAccount(deviceCount: 1, hasPartialLogs: false, random: &random)
        guest = try FoundedAccount(deviceCount: 1, hasPartialLogs: false, random: &random)
        let genesis = ZoneGenesis(
            owner: owner.id,
            container: "org.example.notes",
            name: "shared",
            salt: [UInt8](repeating: 1, count: ZoneGenesis.saltByteCount),
            history: .full,
            isDefault: false
        )
        zone = ZoneID(genesis)
    }

    private func incarnation(_ number: UInt64) -> Incarnation {
        var random = SeededGenerator(seed: number)
        return Incarnation(using: &random)
    }

    private func log(of account: FoundedAccount, _ right: Hash = .zero, lane: Lane = .data) -> ActorLane {
        let device = account.members[0].device.keys.deviceID
        return ActorLane(actor: ActorID(device: device, incarnation: incarnation(1), right: right), lane: lane)
    }

    private mutating func capability(_ rights: Rights, _ caveats: Caveats = Caveats()) throws -> SignedCapability {
        let keys = owner.members[0].device.keys
        return try Capability.issue(
            Capability.Terms(audience: guest.id, rights: rights, caveats: caveats),
            resource: .zone(zone),
            owner: owner.id,
            signer: keys.deviceID,
            using: &random,
            sign: keys.sign
        )
    }

    private func statement(_ counter: UInt64, _ body: ControlBody) throws -> RightsModel.Statement {
        RightsModel.Statement(
            place: Dot(actor: log(of: owner, lane: .control).actor, counter: counter),
            device: owner.members[0].device.keys.deviceID,
            right: .zero,
            seen: VersionVector(),
            hash: Hash(Digest32(word0: counter, word1: 1, word2: 2, word3: 3)),
            body: body,
            carried: try body.capabilities.reduce(into: [:]) { carried, signed in
                carried[signed.id] = try VerifiedCapability(UnverifiedCapability(signed)).capability
            }
        )
    }

    private func model(_ statements: [RightsModel.Statement]) -> RightsModel {
        RightsModel(
            zone: zone,
            owners: [owner.id],
            statements: statements,
            accounts: [owner.id: owner.members[0].log.state, guest.id: guest.members[0].log.state],
            ownDevice: nil
        )
    }

    private var guestDevice: DeviceID { guest.members[0].device.keys.deviceID }

    @Test func `a zone without control operations belongs to its owner alone`() {
        let model = model([])
        #expect(model.present == [owner.id])
        #expect(model.parties == [owner.id])
        #expect(model.level(of: guest.id) == nil)
        #expect(!model.mayRead(guestDevice, of: guest.id, now: 0))
    }

    @Test mutating func `a grant gives a right, and its time ends reading`() throws {
        let token = try capability(Rights(.write), Caveats(expires: 100))
        let model = model([try statement(1, .grant(Grant(token)))])
        #expect(model.level(of: guest.id) == .write)
        #expect(model.limit(of: log(of: guest, token.id), device: guestDevice, under: token.id) == .max)
        #expect(model.mayRead(guestDevice, of: guest.id, now: 99))
        #expect(!model.mayRead(guestDevice, of: guest.id, now: 100))
    }

    @Test mutating func `a revocation cuts at its stated sizes, and a correction that saw it raises the cut`() throws {
        let token = try capability(Rights(.write))
        let data = log(of: guest, token.id)
        func position(_ size: UInt64) -> LogPosition {
            LogPosition(actor: data.actor, lane: .data, size: size, root: .zero)
        }
        let grant = try statement(1, .grant(Grant(token)))
        let end = Revocation(capabilities: [token.id], cuts: [position(3)], regrants: [], reason: "")
        let revoke = try statement(2, .revoke(end))
        let raise = try statement(3, .raiseCut(CutRaise(capability: token.id, cuts: [position(5)])))
        let ended = model([grant, revoke])
        #expect(ended.level(of: guest.id) == nil)
        #expect(ended.parties == [owner.id, guest.id])
        #expect(ended.limit(of: data, device: guestDevice, under: token.id) == 3)
        #expect(model([raise, revoke, grant]).limit(of: data, device: guestDevice, under: token.id) == 5)
    }

    @Test mutating func `in a public zone, an account without a right reads without one`() throws {
        func open(_ counter: UInt64, world: PublicRights, _ authenticated: PublicRights) throws -> RightsModel {
            let access = PublicAccess(world: world, authenticated: authenticated, creator: [])
            return model([try statement(counter, .publicAccess(access))])
        }
        let known = try open(1, world: [], .read)
        #expect(known.parties == [owner.id])
        #expect(known.mayRead(guestDevice, of: guest.id, now: 0))
        #expect(!known.mayRead(guest.id, now: 0))
        // A device that its account does not know.
        #expect(!known.mayRead(owner.members[0].device.keys.deviceID, of: guest.id, now: 0))
        let all = try open(1, world: .read, [])
        #expect(all.mayRead(owner.members[0].device.keys.deviceID, of: guest.id, now: 0))
        #expect(!all.mayRead(guest.id, now: 0))
    }

    @Test mutating func `writes of an account with read rights have no effect`() throws {
        let token = try capability(Rights(.read))
        let model = model([try statement(1, .grant(Grant(token)))])
        #expect(model.limit(of: log(of: guest, token.id), device: guestDevice, under: token.id) == 0)
        #expect(model.mayRead(guestDevice, of: guest.id, now: 0))
    }
}
