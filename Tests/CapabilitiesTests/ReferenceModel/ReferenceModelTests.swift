import Identity
import TestSupport
import Testing
import Wire

@testable import Capabilities

/// The resolution and the plain model, on worlds made by dice.
///
/// A failure names the seed, and the smallest number of operations of that world that already show it.
@Suite struct ReferenceModelTests {
    static let worldsPerCase: UInt64 = 1_000

    @Test(arguments: 0..<UInt64(10))
    func `resolves every operation, capability and log like the plain model`(part: UInt64) {
        compare(part, isPair: false)
    }

    @Test(arguments: 0..<UInt64(3))
    func `resolves a zone of two owners like the plain model`(part: UInt64) {
        compare(part, isPair: true)
    }

    private func compare(_ part: UInt64, isPair: Bool) {
        for seed in part * Self.worldsPerCase..<(part + 1) * Self.worldsPerCase {
            let world = World(seed: seed, isPair: isPair)
            guard let difference = Comparison(world, entries: world.entries).difference else { continue }
            Issue.record("seed \(seed): \(difference); shortest: \(Comparison.shrink(world))")
            return
        }
    }

    @Test func `the dice make two owners leave, and come back`() {
        var found: [String: Int] = [:]
        for seed in UInt64(0)..<1_500 {
            let state = World(seed: seed, isPair: true).state
            found["left", default: 0] += 2 - state.owners.count
            found["left twice", default: 0] += state.ownerships.count > 3 ? 1 : 0
            found["back", default: 0] += state.ownerships.count(where: {
                $0.isHeld && $0.right != Hash(pairRightOf: $0.account, in: state.zone)
            })
            for case .void(let reason) in state.verdicts.values { found[reason.code, default: 0] += 1 }
        }
        for name in ["left", "left twice", "back", "pair_zone", "transfer_lost", "above_cut"] {
            #expect(found[name, default: 0] > 2, "\(name): \(found[name, default: 0])")
        }
    }

    /// The owner makes two statements, the second with a smaller view than the first; an administrator answers the
    /// first.
    @Test func `an operation without a successor need not be the last of its log in the resolution's order`() throws {
        let (pool, owner) = (WorldPool.shared, World.owner)
        let admin = try #require(
            pool.tokens.first { token in
                guard let capability = token.verified?.capability, capability.isRoot else { return false }
                return capability.issuer == owner && capability.rights.level == .admin
                    && capability.resource == .zone(WorldPool.zone)
                    && pool.devices[0].contains { $0.deviceID == capability.signer }
            }
        )
        let token = try #require(admin.verified)
        let account = try #require(WorldPool.accounts.firstIndex(of: token.capability.audience))
        var directory = WorldDirectory()
        for (index, account) in WorldPool.accounts.enumerated() {
            let places = pool.devices[index].enumerated()
            directory.standings[account] = Dictionary(
                uniqueKeysWithValues: places.map { ($1.deviceID, .active(.full, addedAt: $0)) }
            )
        }
        let (log, other) = (ActorID(WorldPool.digest(9, 1)), ActorID(WorldPool.digest(9, 2)))
        let third = ActorID(WorldPool.digest(9, 3))
        func entry(_ place: Dot, _ seen: VersionVector, _ body: ControlBody) -> ControlEntry {
            ControlEntry(
                place: place,
                device: pool.devices[place.actor == log ? 0 : account][0].deviceID,
                right: place.actor == log ? .zero : admin.id,
                seen: seen,
                hash: Hash(WorldPool.digest(10, place.counter, place.actor == log ? 1 : 2)),
                body: body,
                carried: body.capabilities.isEmpty ? [] : [admin]
            )
        }
        let access = ControlBody.publicAccess(PublicAccess(world: .read, authenticated: [], creator: []))
        let entries = [
            entry(Dot(actor: log, counter: 1), [:], .grant(Grant(token.signed))),
            entry(Dot(actor: log, counter: 2), [third: 5], access),
            entry(Dot(actor: log, counter: 3), [:], access),
            entry(Dot(actor: other, counter: 1), [log: 2, third: 5], access),
        ]
        let world = World(entries: entries, directory: directory)
        #expect(world.state.verdicts.values.allSatisfy { $0 == .counts })
        #expect(world.state.publicAccessEntry == entries[2].hash)
        #expect(Comparison(world, entries: entries).difference == nil)
    }

    @Test func `the dice reach everything`() {
        var found: [String: Int] = [:]
        for seed in UInt64(0)..<4_000 {
            let world = World(seed: seed)
            let state = world.state
            for (log, (device, right)) in world.logs {
                let data = ActorLane(actor: log.actor, lane: .data)
                let cuts = [
                    state.cut(of: data, device: device, under: right, directory: world.directory),
                    state.openCut(of: data, device: device, under: right, directory: world.directory),
                ]
                if cuts[0] != cuts[1] { found["bounded", default: 0] += 1 }
            }
            found["former", default: 0] += state.raises.values.count { $0.contains { !$0.stands } }
            found["transfers", default: 0] += state.ownerships.count - 1
            found["watermarks", default: 0] += state.watermarks.count
            if let offer = state.offer {
                let answer = offer.answer == nil ? "open" : offer.consent == nil ? "declined" : "accepted"
                found["offer " + answer, default: 0] += 1
            }
            found["raises", default: 0] += state.raises.count
            found["public", default: 0] += state.publicAccessEntry.isZero ? 0 : 1
            for record in state.capabilities.values {
                found["depth \(record.chain.count)", default: 0] += 1
                found["leaves", default: 0] += record.leaves.count
                if case .ended = record.status { found["ended", default: 0] += 1 }
            }
            for verdict in state.verdicts.values {
                switch verdict {
                case .counts: found["counts", default: 0] += 1
                case .void(let reason): found[reason.code, default: 0] += 1
                case .waiting(let reason): found[reason.code, default: 0] += 1
                }
            }
            for part in state.voidParts { found["part " + part.reason.code, default: 0] += 1 }
        }
        let expected = [
            "transfers", "watermarks", "raises", "former", "bounded", "public", "depth 1", "depth 2", "depth 3",
            "leaves", "ended", "counts",
            "not_of_account", "device_role", "above_cut", "right_void", "owner_only", "level_too_low", "owner_leaves",
            "offer open", "offer declined", "offer accepted", "no_consent",
            "transfer_lost", "already_owner", "not_final", "capability_wrong_resource", "capability_wrong_parent",
            "capability_wrong_issuer", "capability_unknown_signer", "part capability_bad_signature",
            "capability_widened",
            "part capability_not_descendant", "account_unknown", "capability_unknown",
        ]
        for name in expected { #expect(found[name, default: 0] > 2, "\(name): \(found[name, default: 0])") }
    }
}
