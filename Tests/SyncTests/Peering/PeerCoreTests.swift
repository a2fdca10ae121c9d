import Identity
import Records
import Sodium
import Sync
import TestSupport
import Testing
import Wire

@testable import Peering
@testable import Session

/// The types with which these tests run the core.
private enum MemoryEnvironment: PeerEnvironment {
    typealias Address = String
    typealias Sighting = MemorySighting
    typealias Account = MemoryAccount
    typealias Random = SeededGenerator
}

/// An instance that is recognised by the entry of a key, or not at all.
private struct MemorySighting: PeerSighting {
    var instanceName: String
    var interfaceName = "net0"
    var address: String
    var entry: Hash?

    func fleetEntry(recognisedBy _: FleetChannelKeys, at _: UInt64) -> Hash? { entry }
    func zone(recognisedBy _: RendezvousKeys, at _: UInt64) -> ZoneID? { nil }
}

/// A core, with the effects of its last step.
private struct Machine {
    typealias Core = PeerCore<MemoryEnvironment>

    let account: MemoryAccount
    var core: Core
    var effects: [Core.Effect] = []
    var now: UInt64 = 1_000
    var random = SeededGenerator(seed: 3)
    private var dialCount: UInt64 = 0

    init(_ account: MemoryAccount) throws {
        self.account = account
        let sync = SyncCore(
            localDevice: account.keys.deviceID,
            incarnation: try #require(Incarnation([UInt8](repeating: 1, count: 16))),
            account: account.log.account
        )
        core = Core(sync, device: account.keys.deviceID)
        step { $0.accountChanged(suppliesKeys: false, in: &$1) }
    }

    mutating func step(_ body: (inout Core, inout Core.Turn) throws -> Void) rethrows {
        effects = try core.step(in: account, at: now, wall: 1_000_000 + now, random: &random, body)
    }

    mutating func doDue() {
        var count = dialCount
        step { core, turn in
            core.doDue(
                mayDial: true,
                nextDial: {
                    count += 1
                    return count
                },
                in: &turn
            )
        }
        dialCount = count
    }

    /// Opens a channel with another machine.
    mutating func open(
        _ id: SessionID,
        with other: MemoryAccount,
        dial: UInt64? = nil,
        _ purpose: ChannelSecret.Purpose = .fleet
    ) {
        let channel = PeerChannel<String>(
            id: id,
            dial: dial,
            handshake: HandshakeResult(
                remoteStatic: other.keys.agreementKey.publicKey,
                remotePayload: other.payload.encoded,
                handshakeHash: [UInt8](repeating: UInt8(id), count: 64),
                purpose: purpose,
                isInitiator: dial != nil,
                version: .hybrid,
                remoteNewest: .hybrid,
                remoteRevision: 0
            ),
            origin: "there",
            address: { "there:\($0)" }
        )
        step { $0.opened(channel, in: &$1) }
    }

    var dials: [PeerDial<String>] { effects.compactMap { if case .dial(let dial) = $0 { dial } else { nil } } }

    var closed: [SessionID: SyncCloseCode] {
        effects.reduce(into: [:]) { if case .close(let id, let code) = $1 { $0[id] = code } }
    }
}

@Suite struct `The core of a device's dealings with peers` {
    /// Two machines of one account.
    private static func pair() throws -> (Machine, MemoryAccount) {
        let (desk, lap) = (try MemoryAccount(seed: 1), try MemoryAccount(seed: 2))
        try desk.add(lap.certificate, role: .full)
        (lap.log, lap.keyring) = (desk.log, desk.keyring)
        return (try Machine(desk), lap)
    }

    // MARK: Calls

    @Test func `calls an instance that is recognised by the account's key, and no other`() throws {
        var (desk, _) = try Self.pair()
        let entry = desk.account.fleetKeys.key.entry
        let own = MemorySighting(instanceName: "lap", address: "lap:1", entry: entry)
        let stranger = MemorySighting(instanceName: "stranger", address: "stranger:1")
        desk.step { core, turn in
            core.sighted(own, in: &turn)
            core.sighted(stranger, in: &turn)
        }
        desk.doDue()
        #expect(desk.dials.map(\.address) == ["lap:1"])
        #expect(desk.dials.first?.secret.purpose == .fleet)
        desk.doDue()
        #expect(desk.dials.isEmpty, "it is called once")
    }

    @Test func `calls an instance by the key that it announced last, at all its addresses`() throws {
        var (desk, _) = try Self.pair()
        let entry = desk.account.fleetKeys.key.entry
        let earlier = MemorySighting(instanceName: "lap", address: "lap:1", entry: Hash(digesting: .treeNode, [1]))
        let later = MemorySighting(instanceName: "lap", address: "lap:2", entry: entry)
        desk.step { core, turn in
            core.sighted(earlier, in: &turn)
            core.sighted(later, in: &turn)
            // All sightings are evaluated again.
            core.accountChanged(suppliesKeys: false, in: &turn)
            core.reconsiderSightings(in: &turn)
        }
        desk.doDue()
        #expect(desk.dials.allSatisfy { $0.secret.purpose == .fleet } && desk.dials.map(\.address).contains("lap:2"))
        let addresses = desk.core.sessions.directory.searchAddresses
        #expect(addresses.allSatisfy { $0.key == .account })
    }

    @Test func `no longer calls an instance that is gone from all interfaces`() throws {
        var (desk, _) = try Self.pair()
        let entry = desk.account.fleetKeys.key.entry
        desk.step { core, turn in
            for interface in ["net0", "net1"] {
                let sighting = MemorySighting(
                    instanceName: "lap",
                    interfaceName: interface,
                    address: "lap:\(interface)",
                    entry: entry
                )
                core.sighted(sighting, in: &turn)
            }
            core.withdrawn("lap", interfaceName: "net0")
            core.withdrawn("lap", interfaceName: "net1")
        }
        desk.doDue()
        #expect(desk.dials.isEmpty && !desk.core.sightings.contains("lap"))
    }

    @Test
    func `searches all addresses in sight, again after five seconds, and in the first version where it is ignored`()
        throws
    {
        var (desk, _) = try Self.pair()
        let ticket = PairingTicket(using: &desk.random)
        desk.step { core, turn in
            core.sighted(MemorySighting(instanceName: "a", address: "a:1"), in: &turn)
            let search = JoiningCore.Search(key: .ticket(identifier: ticket.identifier))
            _ = core.beginSearch(search, under: ticket.channelSecret)
        }
        desk.doDue()
        let first = try #require(desk.dials.first)
        #expect(desk.dials.map(\.address) == ["a:1"] && first.version == .newest)
        let due = desk.core.nextDue(at: desk.now)
        #expect(due == desk.now + 5_000)
        desk.step { $0.dialFailed(first.id, because: .ignored, in: &$1) }
        desk.doDue()
        #expect(desk.dials.map(\.version) == [.classical])
        desk.step { [dials = desk.dials] core, turn in
            for dial in dials { core.dialFailed(dial.id, because: .ignored, in: &turn) }
        }
        desk.doDue()
        #expect(desk.dials.isEmpty, "the first version is tried once")
        desk.now += 5_000
        desk.doDue()
        #expect(desk.dials.map(\.address) == ["a:1"])
        desk.step { core, turn in core.endSearch(core.joining.search?.number ?? 0, in: &turn) }
        desk.now += 5_000
        desk.doDue()
        #expect(desk.dials.isEmpty)
    }

    @Test func `has at most sixteen dials of searches under way`() throws {
        var (desk, _) = try Self.pair()
        let ticket = PairingTicket(using: &desk.random)
        desk.step { core, turn in
            for index in 1...40 {
                core.sighted(MemorySighting(instanceName: "n\(index)", address: "n:\(index)"), in: &turn)
            }
            let search = JoiningCore.Search(key: .ticket(identifier: ticket.identifier))
            _ = core.beginSearch(search, under: ticket.channelSecret)
        }
        desk.doDue()
        #expect(desk.dials.count == 16)
        let ended = try #require(desk.dials.first)
        desk.doDue()
        #expect(desk.dials.isEmpty)
        desk.step { $0.dialFailed(ended.id, because: .silence, in: &$1) }
        desk.doDue()
        #expect(desk.dials.count == 1)
    }

    // MARK: Sessions

    @Test func `opens a session with a device of the account, and closes a channel on which bytes are no message`()
        throws
    {
        var (desk, lap) = try Self.pair()
        desk.open(1, with: lap)
        #expect(desk.core.sessions.isOpen(1) && desk.closed.isEmpty)
        desk.step { $0.received([255, 255, 255], on: 1, in: &$1) }
        #expect(desk.closed == [1: .violation] && !desk.core.sessions.isOpen(1))
    }

    @Test func `closes a channel under an invitation on which bytes are no message`() throws {
        var (desk, _) = try Self.pair()
        desk.open(1, with: try MemoryAccount(seed: 9), .invite(identifier: [7]))
        #expect(desk.closed.isEmpty)
        desk.step { $0.received([255, 255, 255], on: 1, in: &$1) }
        #expect(desk.closed == [1: .violation])
    }

    @Test(arguments: [true, false])
    func `ends the session that brings an invalid entry, and asks for patience where the disk fails`(
        isFull: Bool
    ) throws {
        var (desk, lap) = try Self.pair()
        desk.open(1, with: lap)
        desk.account.isFull = isFull
        let entries = AccountEntries(account: desk.account.log.account, entries: [[1, 2, 3]], more: false)
        desk.step { $0.received(PeerMessage.accountEntries(entries).encoded, on: 1, in: &$1) }
        #expect(desk.closed == [1: isFull ? .busy : .violation])
    }

    @Test func `ends the sessions of a device that was removed`() throws {
        var (desk, lap) = try Self.pair()
        desk.open(1, with: lap)
        let account = desk.account
        let removal = try account.log.removingDevice(
            lap.keys.deviceID,
            witness: account.keys.deviceID,
            signer: .device(account.keys),
            using: &account.random
        )
        _ = try account.log.insert(removal.encoded)
        desk.step { $0.accountChanged(suppliesKeys: true, in: &$1) }
        #expect(desk.closed == [1: .refused])
        #expect(desk.core.sessions.directory.addresses(of: lap.keys.deviceID).isEmpty)
    }
}

@Suite struct `Offers of zones` {
    private static func terms(_ index: UInt64, by owner: AccountID) -> ZoneTerms {
        let genesis = ZoneGenesis(
            owner: owner,
            container: "org.example",
            name: "zone-\(index)",
            salt: [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 32),
            history: .full,
            isDefault: false
        )
        return ZoneTerms(genesis: genesis, tagKey: [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 32))
    }

    private static func account(_ index: UInt64) -> AccountID {
        AccountID(Digest32(word0: index, word1: 0, word2: 0, word3: 0))
    }

    @Test func `are bounded in all, and for each account`() {
        var offers = ZoneOffers()
        for index in UInt64(0)..<40 {
            let isKept = offers.insert(Self.terms(index, by: Self.account(1)), by: Self.account(1), at: 5)
            #expect(isKept == (index < 32))
        }
        for account in UInt64(2)..<20 {
            for index in UInt64(0)..<32 {
                _ = offers.insert(Self.terms(index, by: Self.account(account)), by: Self.account(account), at: 5)
            }
        }
        #expect(offers.all.count == 256)
    }

    @Test func `are kept as first heard, unless the zone's creator states other terms`() {
        var offers = ZoneOffers()
        let (owner, other) = (Self.account(1), Self.account(2))
        let terms = Self.terms(1, by: owner)
        let zone = ZoneID(terms.genesis)
        let claimed = ZoneTerms(genesis: terms.genesis, tagKey: [UInt8](repeating: 9, count: 32))
        let isKept = offers.insert(claimed, by: other, at: 5)
        let isKeptAgain = offers.insert(terms, by: Self.account(3), at: 6)
        #expect(isKept && !isKeptAgain)
        let isReplaced = offers.insert(terms, by: owner, at: 7)
        #expect(isReplaced && offers.all[zone]?.account == owner && offers.all[zone]?.heard == 5)
        let isReplacedAgain = offers.insert(claimed, by: owner, at: 8)
        #expect(!isReplacedAgain, "the creator has stated its terms")
        offers.remove(zone)
        #expect(offers.all.isEmpty)
    }
}
