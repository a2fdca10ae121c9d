import Identity
import Sodium
import TestSupport
import Wire

@testable import Capabilities

/// Accounts with two devices each that are the same in each run, and tokens made past the rules that issuers keep.
enum TokenFixture {
    static let accountCount = 10

    /// Device `2 · n` and `2 · n + 1` belong to account `n`.
    static let devices: [DeviceIdentity] = {
        var generator = SeededGenerator(seed: 0xCA9AB1)
        return (0..<(2 * accountCount)).map { _ in DeviceIdentity(using: &generator) }
    }()

    static let zone = ZoneID(Digest32(word0: 0x20, word1: 0, word2: 0, word3: 0))

    static func account(_ index: Int) -> AccountID {
        AccountID(Digest32(word0: 0xA0, word1: UInt64(index), word2: 0, word3: 0))
    }

    static func device(of account: Int, _ number: Int = 0) -> DeviceIdentity {
        devices[2 * account + number]
    }

    /// The device standings in the account logs: every account has the two devices, and none is removed.
    static let standing: @Sendable (DeviceID, AccountID) -> AccountState.Standing? = { device, account in
        guard let index = (0..<accountCount).first(where: { Self.account($0) == account }) else { return nil }
        let own = (0..<2).map { Self.device(of: index, $0).deviceID }
        return own.contains(device) ? .active(.full) : .unknown
    }

    /// The caveats that leave the most room for capabilities below.
    static let wide = Caveats(delegationDepth: 7)

    /// Returns a capability, signed whether it makes sense or not.
    static func token(
        from issuer: Int,
        to audience: Int,
        level: AccessLevel = .write,
        canDelegate: Bool = true,
        caveats: Caveats = wide,
        parent: UnverifiedCapability? = nil,
        resource: CapabilityResource = .zone(zone),
        device: DeviceIdentity? = nil,
        nonce: UInt8 = 0
    ) throws -> UnverifiedCapability {
        let signer = device ?? self.device(of: issuer)
        let capability = Capability(
            resource: resource,
            issuer: account(issuer),
            signer: signer.deviceID,
            audience: account(audience),
            rights: Rights(level, canDelegate: canDelegate),
            caveats: caveats,
            parent: parent?.id ?? .zero,
            nonce: [UInt8](repeating: nonce, count: Capability.nonceByteCount)
        )
        return UnverifiedCapability(try capability.signed(by: signer.sign))
    }

    /// Returns the same capability under a signature that is not the signer's.
    static func forged(_ token: UnverifiedCapability) throws -> UnverifiedCapability {
        let signature = devices[devices.count - 1].sign(token.signed.bodyBytes, context: .treeHead)
        return UnverifiedCapability(SignedCapability(token.capability, signature: signature))
    }

    /// Tokens each of which delegates the rights of the one before, from account 0 on.
    static func tokens(_ count: Int) throws -> [UnverifiedCapability] {
        var tokens: [UnverifiedCapability] = []
        for index in 0..<count {
            let caveats = Caveats(delegationDepth: UInt8(7 - index))
            tokens.append(try token(from: index, to: index + 1, caveats: caveats, parent: tokens.last))
        }
        return tokens
    }

    static func chain(_ tokens: [UnverifiedCapability]) throws -> CapabilityChain {
        try CapabilityChain(try tokens.map { try VerifiedCapability($0) }, owner: account(0))
    }

    static func chain(_ count: Int) throws -> CapabilityChain {
        try chain(try tokens(count))
    }
}

/// A place where tokens are found by their ids.
struct TokenShelf {
    private var tokens: [Hash: UnverifiedCapability] = [:]

    init(_ tokens: [UnverifiedCapability]) {
        for token in tokens { self.tokens[token.id] = token }
    }

    /// Verifies the chain that ends in a token, from its root among the tokens on.
    /// - Returns: `nil` when an ancestor is not among them.
    /// - Throws: ``CapabilityError``.
    func chain(
        endingIn leaf: UnverifiedCapability,
        owner: AccountID,
        standing: SignerStanding
    ) throws(CapabilityError) -> CapabilityChain? {
        var upwards = [leaf]
        while let top = upwards.last, !top.capability.parent.isZero {
            guard upwards.count < CapabilityChain.stepCountMax else { throw .tooLong }
            guard let parent = tokens[top.capability.parent] else { return nil }
            upwards.append(parent)
        }
        var steps: [VerifiedCapability] = []
        for token in upwards.reversed() { steps.append(try VerifiedCapability(token)) }
        let chain = try CapabilityChain(steps, owner: owner)
        try chain.checkSigners(standing)
        return chain
    }
}
