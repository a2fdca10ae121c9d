import Identity
import Testing
import Wire

@testable import Sync

/// A core of Alice's first device beside stores of Alice (0, 1), Bob (2) and Carol (3), and its sessions.
struct Desk {
    var neighbours: Neighbours
    var core: SyncCore
    private(set) var now: UInt64 = 1_000_000

    init(seed: UInt64 = 1, program: ProgramNote? = nil) throws {
        neighbours = try Neighbours([2, 1, 1], seed: seed)
        core = SyncCore(
            localDevice: neighbours.homes[0].keys.deviceID,
            incarnation: try #require(try neighbours.homes[0].store.incarnation()),
            account: neighbours.account(0),
            program: program
        )
    }

    @discardableResult
    mutating func feed(_ input: SyncInput) -> [SyncEffect] {
        var effects: [SyncEffect] = []
        core.handle(input, at: now, wall: neighbours.homes[0].wall, random: &neighbours.random, into: &effects)
        return effects
    }

    /// Feeds the core the store's resolution of a zone's rights, as its committer would after a change.
    @discardableResult
    mutating func tellRights(_ zone: ZoneID) throws -> [SyncEffect] {
        let notice = try neighbours.change(0) { try AccountUpkeep($0).applyCuts(in: &$2) }
        return notice.authorities.filter { $0.zone == zone }.flatMap { feed(.rightsChanged($0)) }
    }

    @discardableResult
    mutating func tellZone(_ zone: ZoneID) throws -> [SyncEffect] {
        let store = neighbours.homes[0].store
        let row = try #require(try store.zone(zone))
        return feed(.zoneChanged(try ZoneViews(neighbours.committer(0)).snapshot(of: row, in: store), before: [:]))
    }

    /// Opens a session with a device; its number is the device's place.
    @discardableResult
    mutating func open(_ index: Int, remoteRevision: UInt8 = 0) -> [SyncEffect] {
        feed(
            .opened(
                SessionOpening(
                    session: SessionID(index),
                    device: neighbours.homes[index].keys.deviceID,
                    account: neighbours.account(neighbours.homes[index].account),
                    standing: .active,
                    accountHeads: [],
                    binding: [UInt8](repeating: UInt8(index), count: 32),
                    isInitiator: false,
                    remoteRevision: remoteRevision
                )
            )
        )
    }

    @discardableResult
    mutating func hear(_ index: Int, _ message: PeerMessage) -> [SyncEffect] {
        feed(.received(SessionID(index), message, byteCount: 100))
    }

    /// Returns the states of zones that a comparison lists now.
    mutating func listed(_ index: Int) -> Set<Hash> {
        let all = RangeDigest(prefix: .empty, itemCount: 1, digest: .zero)
        let effects = hear(index, .rangeDigests(RangeDigests(ranges: [all])))
        return Set(
            effects.messages(to: index).flatMap { message -> [Hash] in
                guard case .rangeItems(let items) = message else { return [] }
                return items.ranges.flatMap(\.items).map(\.state)
            }
        )
    }

    /// Lets time pass in silence: the core is woken only when it has asked for it.
    /// - Parameter milliseconds: The time.
    /// - Returns: The effects, each with the time since the beginning.
    mutating func pass(milliseconds: UInt64) -> [(after: UInt64, effect: SyncEffect)] {
        let (begin, wall) = (now, neighbours.homes[0].wall)
        var done: [(after: UInt64, effect: SyncEffect)] = []
        while let deadline = core.nextDeadline, deadline <= begin + milliseconds {
            now = max(deadline, now)
            neighbours.homes[0].wall = wall + now - begin
            let after = now - begin
            done += feed(.tick).map { (after, $0) }
        }
        now = begin + milliseconds
        neighbours.homes[0].wall = wall + milliseconds
        return done
    }
}
