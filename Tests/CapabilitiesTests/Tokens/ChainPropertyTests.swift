import TestSupport
import Testing
import Wire

@testable import Capabilities

/// Laws that hold for all capabilities, tried on random ones; a failure names the seed.
@Suite struct ChainPropertyTests {
    typealias Fixture = TokenFixture

    /// 8 · 60 worlds of 20 tokens each.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `the verifier and the plain reference agree`(part: UInt64) throws {
        var takenCount = 0
        var longest = 0
        for seed in (part * 60)..<(part * 60 + 60) {
            var world = TokenWorld(seed: seed)
            for _ in 0..<20 { try world.add() }
            let plain = PlainChains(tokens: world.tokens, owner: Fixture.account(0))
            let shelf = TokenShelf(world.tokens)
            for token in world.tokens {
                let faults = plain.faults(of: token)
                do {
                    let chain = try shelf.chain(
                        endingIn: token,
                        owner: Fixture.account(0),
                        standing: Fixture.standing
                    )
                    // Every ancestor is in the world that made the token.
                    let found = try #require(chain)
                    if !faults.isEmpty { Issue.record("seed \(seed): taken, although \(faults)") }
                    takenCount += 1
                    longest = max(longest, found.steps.count)
                    checkThatStepsAllowWhatTheLeafAllows(found, seed: seed)
                } catch let error as CapabilityError {
                    if !faults.contains(error) { Issue.record("seed \(seed): \(error), \(faults)") }
                }
            }
        }
        // Neither all nor none may be accepted: then the law would say little.
        #expect(takenCount > 60 * 2 && takenCount < 60 * 18, "\(takenCount)")
        #expect(longest >= 5)
    }

    private func checkThatStepsAllowWhatTheLeafAllows(_ chain: CapabilityChain, seed: UInt64) {
        let leaf = chain.capability
        for step in chain.steps.map(\.capability) {
            #expect(step.rights.level >= leaf.rights.level, "seed \(seed)")
            for type in ["a", "b", "c", "d"] where leaf.caveats.allows(type: type) {
                #expect(step.caveats.allows(type: type), "seed \(seed)")
            }
            for name in ["", "x", "xx", "xxx", "y"] where leaf.caveats.allows(name: name) {
                #expect(step.caveats.allows(name: name), "seed \(seed)")
            }
            for now in 0..<24 as Range<UInt64> where isTime(now, leaf) {
                #expect(isTime(now, step), "seed \(seed)")
            }
        }
    }

    private func isTime(_ now: UInt64, _ capability: Capability) -> Bool {
        // A refusal is the answer "no".
        (try? capability.caveats.checkTime(now)) != nil
    }

    @Test func `narrowing a part narrows the whole`() throws {
        var world = TokenWorld(seed: 7)
        var generator = SeededGenerator(seed: 8)
        func capability(_ issuer: Int, _ audience: Int, under parent: Capability? = nil) -> Capability {
            Capability(
                resource: .zone(Fixture.zone),
                issuer: Fixture.account(issuer),
                signer: .zero,
                audience: Fixture.account(audience),
                rights: Rights(
                    AccessLevel.allCases[Int(generator.next() % 5)],
                    canDelegate: generator.next() % 8 > 0
                ),
                caveats: generator.next() % 4 == 0 ? world.caveats() : world.caveats(under: parent?.caveats),
                parent: .zero,
                nonce: [UInt8](repeating: 0, count: 16)
            )
        }
        func narrows(_ child: Capability, _ parent: Capability) -> Bool {
            // A refusal is the answer "no".
            (try? child.checkNarrows(parent)) != nil
        }
        var count = 0
        for _ in 0..<8_000 {
            let whole = capability(0, 1)
            let part = capability(1, 1, under: whole)
            guard narrows(part, whole) else { continue }
            let partOfPart = capability(1, 2, under: part)
            guard narrows(partOfPart, part) else { continue }
            count += 1
            #expect(narrows(partOfPart, whole))
        }
        #expect(count > 200, "\(count)")
    }

    @Test func `narrowing reports the same violation as the plain reference`() throws {
        var world = TokenWorld(seed: 9)
        let plain = PlainChains(tokens: [], owner: Fixture.account(0))
        for _ in 0..<8_000 {
            let parent = try plainCapability(1, world.caveats())
            let child = try plainCapability(2, world.caveats())
            let expected = plain.widenings(of: child, under: parent).first
            var found: CapabilityError?
            do {
                try child.checkNarrows(parent)
            } catch {
                found = error
            }
            if found != expected {
                Issue.record("\(child.caveats) under \(parent.caveats): \(String(describing: found))")
            }
        }
    }

    private func plainCapability(_ audience: Int, _ caveats: Caveats) throws -> Capability {
        Capability(
            resource: .zone(Fixture.zone),
            issuer: Fixture.account(audience - 1),
            signer: .zero,
            audience: Fixture.account(audience),
            rights: Rights(.write, canDelegate: true),
            caveats: caveats,
            parent: .zero,
            nonce: [UInt8](repeating: 0, count: 16)
        )
    }
}
