import Identity
import TestSupport
import Testing
import Wire

@testable import Capabilities

@Suite struct CapabilityChainTests {
    typealias Fixture = TokenFixture

    @Test(arguments: 1...8)
    func `a chain of one to eight that narrows is one`(count: Int) throws {
        let tokens = try Fixture.tokens(count)
        let chain = try Fixture.chain(tokens)
        #expect(chain.steps.map(\.id) == tokens.map(\.id))
        #expect(chain.capability.audience == Fixture.account(count))
        #expect(chain.owner == Fixture.account(0))
        #expect(tokens.allSatisfy { chain.contains($0.id) } && !chain.contains(.zero))
        try chain.checkSigners(Fixture.standing)
    }

    @Test func `nine are too many`() throws {
        let eight = try Fixture.tokens(8)
        let ninth = try Fixture.token(from: 8, to: 9, caveats: Caveats(), parent: eight[7])
        #expect(throws: CapabilityError.tooLong) { try Fixture.chain(eight + [ninth]) }
        #expect(throws: CapabilityError.tooLong) {
            try CapabilityChain(try Fixture.chain(eight), try VerifiedCapability(ninth))
        }
    }

    @Test func `a chain begins with a root of the owner`() throws {
        let tokens = try Fixture.tokens(2)
        #expect(throws: CapabilityError.notRoot) { try Fixture.chain([]) }
        #expect(throws: CapabilityError.notRoot) { try Fixture.chain([tokens[1]]) }
        let root = try VerifiedCapability(tokens[0])
        #expect(throws: CapabilityError.notRoot) { try CapabilityChain([root], owner: Fixture.account(1)) }
    }

    @Test func `each step names the one before`() throws {
        let tokens = try Fixture.tokens(3)
        #expect(throws: CapabilityError.wrongParent) { try Fixture.chain([tokens[0], tokens[2]]) }
        #expect(throws: CapabilityError.wrongParent) { try Fixture.chain([tokens[0], tokens[0]]) }
        let twin = try Fixture.token(from: 0, to: 1, nonce: 1)
        #expect(throws: CapabilityError.wrongParent) { try Fixture.chain([twin, tokens[1]]) }
    }

    @Test func `a step that gives more breaks the chain wherever it is`() throws {
        for place in 1..<4 {
            var tokens = try Fixture.tokens(place)
            let depth = UInt8(7 - place)
            let wider = try Fixture.token(
                from: place,
                to: place + 1,
                level: .admin,
                caveats: Caveats(delegationDepth: depth),
                parent: tokens.last
            )
            tokens.append(wider)
            let last = try Fixture.token(from: place + 1, to: place + 2, caveats: Caveats(), parent: wider)
            #expect(throws: CapabilityError.widened(.level)) { try Fixture.chain(tokens + [last]) }
        }
    }

    @Test func `a signer is a device of the issuer's account`() throws {
        let own = try Fixture.token(from: 0, to: 1, device: Fixture.device(of: 0, 1))
        try Fixture.chain([own]).checkSigners(Fixture.standing)
        let foreign = try Fixture.token(from: 0, to: 1, device: Fixture.device(of: 1))
        #expect(throws: CapabilityError.unknownSigner(Fixture.device(of: 1).deviceID)) {
            try Fixture.chain([foreign]).checkSigners(Fixture.standing)
        }
        // In the middle as at the end.
        let below = try Fixture.token(from: 1, to: 2, caveats: Caveats(), parent: foreign)
        #expect(throws: CapabilityError.unknownSigner(Fixture.device(of: 1).deviceID)) {
            try Fixture.chain([foreign, below]).checkSigners(Fixture.standing)
        }
    }

    @Test func `an account without a known log never permits anything`() throws {
        let chain = try Fixture.chain(2)
        let unknown = Fixture.account(1)
        #expect(throws: CapabilityError.unknownAccount(unknown)) {
            try chain.checkSigners { $1 == unknown ? nil : Fixture.standing($0, $1) }
        }
    }

    @Test func `a removed device passes, since its cuts decide`() throws {
        try Fixture.chain(2).checkSigners { _, _ in .removed }
    }

    @Test func `the last step's time is the chain's`() throws {
        let root = try Fixture.token(from: 0, to: 1, caveats: Caveats(expires: 90, delegationDepth: 1))
        let child = try Fixture.token(from: 1, to: 2, caveats: Caveats(notBefore: 10, expires: 50), parent: root)
        let chain = try Fixture.chain([root, child])
        try chain.checkTime(10)
        #expect(throws: CapabilityError.notYetValid(at: 10)) { try chain.checkTime(9) }
        #expect(throws: CapabilityError.expired(at: 50)) { try chain.checkTime(50) }
    }

    // MARK: Issuing

    @Test func `an issued chain is accepted, and one that every receiver would refuse is not issued`() throws {
        var generator = SeededGenerator(seed: 1)
        let owner = Fixture.device(of: 0)
        let terms = Capability.Terms(
            audience: Fixture.account(1),
            rights: Rights(.write, canDelegate: true),
            caveats: Caveats(delegationDepth: 1)
        )
        let root = try Capability.issue(
            terms,
            resource: .zone(Fixture.zone),
            owner: Fixture.account(0),
            signer: owner.deviceID,
            using: &generator,
            sign: owner.sign
        )
        let chain = try Fixture.chain([UnverifiedCapability(root)])
        let issuer = Fixture.device(of: 1, 1)
        func issue(_ rights: Rights, _ caveats: Caveats = Caveats()) throws -> SignedCapability {
            try Capability.issue(
                Capability.Terms(audience: Fixture.account(2), rights: rights, caveats: caveats),
                under: chain,
                signer: issuer.deviceID,
                using: &generator,
                sign: issuer.sign
            )
        }
        let child = try issue(Rights(.read))
        let longer = try CapabilityChain(chain, try VerifiedCapability(UnverifiedCapability(child)))
        try longer.checkSigners(Fixture.standing)
        #expect(try issue(Rights(.read)).id != child.id, "a nonce makes two of the same")
        #expect(throws: CapabilityError.widened(.level)) { try issue(Rights(.admin)) }
        #expect(throws: CapabilityError.malformed(.tooLong(limit: 255))) {
            try issue(Rights(.read), Caveats(namePrefix: String(repeating: "p", count: 256)))
        }
        let types = (0..<16).map { "\($0)" + String(repeating: "t", count: 200) }
        #expect(throws: CapabilityError.tooLarge) { try issue(Rights(.read), Caveats(recordTypes: types)) }
        #expect(throws: CapabilityError.tooLong) {
            try Capability.issue(
                terms,
                under: try Fixture.chain(8),
                signer: issuer.deviceID,
                using: &generator,
                sign: issuer.sign
            )
        }
    }

    @Test func `a capability of the maximum size is issued and read, and one byte more is refused`() throws {
        var generator = SeededGenerator(seed: 2)
        let owner = Fixture.device(of: 0)
        func issue(_ count: Int) throws -> SignedCapability {
            let types = (0..<9).map { "\($0)" + String(repeating: "t", count: $0 < 8 ? 200 : count) }
            return try Capability.issue(
                Capability.Terms(
                    audience: Fixture.account(1),
                    rights: Rights(.read),
                    caveats: Caveats(recordTypes: types)
                ),
                resource: .zone(Fixture.zone),
                owner: Fixture.account(0),
                signer: owner.deviceID,
                using: &generator,
                sign: owner.sign
            )
        }
        let room = Capability.signedByteCountMax - (try issue(130).bodyBytes.count)
        let largest = try issue(130 + room)
        #expect(largest.bodyBytes.count == Capability.signedByteCountMax)
        #expect(try UnverifiedCapability(largest.encoded).signed == largest)
        #expect(throws: CapabilityError.tooLarge) { try issue(131 + room) }
    }
}
