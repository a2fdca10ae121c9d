import Identity
import Testing
import Wire

@testable import Capabilities

@Suite struct ChainCacheTests {
    typealias Fixture = TokenFixture

    private var cache = ChainCache()

    /// Asks for the chain that ends in a token, with all tokens that may be above it.
    private mutating func ask(
        _ leaf: UnverifiedCapability,
        _ known: [UnverifiedCapability],
        owner: Int = 0,
        standing: SignerStanding = TokenFixture.standing
    ) throws -> CapabilityChain {
        let shelf = TokenShelf(known)
        return try cache.chain(
            endingIn: leaf,
            owner: Fixture.account(owner),
            parents: shelf.find,
            standing: standing
        )
    }

    private mutating func refusal(
        _ leaf: UnverifiedCapability,
        _ known: [UnverifiedCapability],
        owner: Int = 0,
        standing: SignerStanding = TokenFixture.standing
    ) -> CapabilityError? {
        do {
            _ = try ask(leaf, known, owner: owner, standing: standing)
            return nil
        } catch {
            return error as? CapabilityError
        }
    }

    @Test mutating func `a chain is verified once`() throws {
        let tokens = try Fixture.tokens(5)
        let chain = try ask(tokens[4], tokens)
        #expect(chain == (try Fixture.chain(tokens)))
        #expect(cache.counts == ChainCache.Counts(signatureChecks: 5))
        #expect(try ask(tokens[4], []) == chain)
        #expect(cache.counts == ChainCache.Counts(hits: 1, signatureChecks: 5))
    }

    @Test mutating func `its ancestors are verified with it, and cost nothing more`() throws {
        let tokens = try Fixture.tokens(5)
        _ = try ask(tokens[2], tokens)
        #expect(cache.counts.signatureChecks == 3)
        #expect(try ask(tokens[1], []).steps.count == 2)
        #expect(try ask(tokens[4], tokens).steps.map(\.id) == tokens.map(\.id))
        let sibling = try Fixture.token(from: 3, to: 9, caveats: Caveats(), parent: tokens[2])
        #expect(try ask(sibling, []).steps.count == 4)
        #expect(cache.counts.signatureChecks == 6)
    }

    @Test mutating func `a refused capability costs one signature check at most, and none while that is remembered`()
        throws
    {
        let bad = try Fixture.forged(try Fixture.token(from: 0, to: 1))
        for _ in 0..<3 { #expect(refusal(bad, []) == .badSignature) }
        #expect(cache.counts.signatureChecks == 1)
        let wide = try Fixture.token(from: 0, to: 1, level: .read)
        let wider = try Fixture.token(from: 1, to: 2, level: .write, caveats: Caveats(), parent: wide)
        for _ in 0..<3 { #expect(refusal(wider, [wide]) == .widened(.level)) }
        #expect(cache.counts.signatureChecks == 1, "what is wrong with the bytes is found before")
    }

    @Test mutating func `a bad signature above is found once, for all that is below`() throws {
        let bad = try Fixture.forged(try Fixture.token(from: 0, to: 1))
        let children = try (2..<6).map {
            try Fixture.token(from: 1, to: $0, caveats: Caveats(), parent: bad)
        }
        for child in children { #expect(refusal(child, [bad]) == .badSignature) }
        #expect(cache.counts.signatureChecks == 1)
    }

    @Test mutating func `a bad copy does not spoil the good one`() throws {
        let good = try Fixture.token(from: 0, to: 1)
        #expect(refusal(try Fixture.forged(good), []) == .badSignature)
        #expect(refusal(good, []) == nil)
    }

    @Test mutating func `a stranger with keys of its own costs no signature check`() throws {
        let foreign = try Fixture.token(from: 0, to: 1, device: Fixture.device(of: 5))
        #expect(refusal(foreign, []) == .unknownSigner(Fixture.device(of: 5).deviceID))
        let root = try Fixture.token(from: 5, to: 6)
        #expect(refusal(root, []) == .notRoot)
        #expect(cache.counts.signatureChecks == 0)
    }

    @Test mutating func `what depends on the moment is not remembered`() throws {
        let tokens = try Fixture.tokens(2)
        #expect(refusal(tokens[1], []) == .missingParent(tokens[0].id))
        let unknown = Fixture.account(1)
        let blind: SignerStanding = { $1 == unknown ? nil : TokenFixture.standing($0, $1) }
        #expect(refusal(tokens[1], tokens, standing: blind) == .unknownAccount(unknown))
        #expect(refusal(tokens[1], tokens, owner: 3) == .notRoot)
        #expect(refusal(tokens[1], tokens) == nil)
    }

    @Test mutating func `owner and signers are asked again for what is remembered`() throws {
        let tokens = try Fixture.tokens(3)
        _ = try ask(tokens[1], tokens)
        for leaf in [tokens[1], tokens[2]] {
            #expect(refusal(leaf, tokens, owner: 1) == .notRoot)
            #expect(refusal(leaf, tokens) { _, _ in .unknown } == .unknownSigner(Fixture.device(of: 0).deviceID))
            #expect(refusal(leaf, tokens) { _, _ in nil } == .unknownAccount(Fixture.account(0)))
        }
        #expect(refusal(tokens[2], tokens) == nil)
    }

    @Test mutating func `nine are too many, also on top of eight that are remembered`() throws {
        let eight = try Fixture.tokens(8)
        let ninth = try Fixture.token(from: 8, to: 9, caveats: Caveats(), parent: eight[7])
        #expect(refusal(ninth, eight) == .tooLong)
        #expect(cache.counts.signatureChecks == 0)
        _ = try ask(eight[7], eight)
        let other = try Fixture.token(from: 8, to: 9, caveats: Caveats(), parent: eight[7], nonce: 1)
        #expect(refusal(other, eight) == .tooLong)
        #expect(cache.counts.signatureChecks == 8)
    }

    @Test mutating func `an answer with another id than asked for is no parent`() throws {
        let tokens = try Fixture.tokens(2)
        let twin = try Fixture.token(from: 0, to: 1, nonce: 1)
        #expect(throws: CapabilityError.missingParent(tokens[0].id)) {
            try cache.chain(
                endingIn: tokens[1],
                owner: Fixture.account(0),
                parents: { _ in twin },
                standing: Fixture.standing
            )
        }
    }

    @Test func `both tables are bounded, and what makes way is only verified again`() throws {
        var cache = ChainCache(.init(chainCount: 2, refusalCount: 2))
        let good = try (0..<3).map { try Fixture.token(from: 0, to: 1, nonce: UInt8($0)) }
        let bad = try good.map { try Fixture.forged($0) }
        func isTaken(_ token: UnverifiedCapability) -> Bool {
            // A refusal is the answer "no".
            (try? cache.chain(
                endingIn: token,
                owner: Fixture.account(0),
                parents: { _ in nil },
                standing: Fixture.standing
            )) != nil
        }
        for token in good { #expect(isTaken(token)) }
        for token in bad { #expect(!isTaken(token)) }
        #expect(
            cache.counts == ChainCache.Counts(signatureChecks: 6, evictedChains: 1, evictedRefusals: 1)
        )
        // Nonsense pushed out nonsense, and no chain.
        #expect(isTaken(good[2]) && isTaken(good[1]))
        #expect(!isTaken(bad[2]) && !isTaken(bad[1]))
        #expect(cache.counts.signatureChecks == 6 && cache.counts.hits == 4)
        #expect(isTaken(good[0]) && !isTaken(bad[0]))
        #expect(cache.counts.signatureChecks == 8)
    }
}
