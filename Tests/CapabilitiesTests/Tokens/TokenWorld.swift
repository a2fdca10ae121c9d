import Identity
import Sodium
import TestSupport
import Wire

@testable import Capabilities

/// Random tokens out of few values, so that those that fit and those that do not both come about.
struct TokenWorld {
    private(set) var tokens: [UnverifiedCapability] = []
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    private mutating func below(_ bound: Int) -> Int {
        Int(generator.next() % UInt64(bound))
    }

    /// True once in so many times.
    private mutating func rarely(_ times: Int = 12) -> Bool {
        below(times) == 0
    }

    private mutating func one<Value>(of values: [Value]) -> Value {
        values[below(values.count)]
    }

    /// A token below another one, or a root; mostly one that narrows.
    mutating func add() throws {
        let parent = tokens.isEmpty || rarely(5) ? nil : one(of: tokens)
        let above = parent?.capability
        let issuer = TokenFixture.index(of: above?.audience)
        var token = try TokenFixture.token(
            from: rarely() ? below(4) : issuer,
            to: below(4),
            level: rarely() ? one(of: AccessLevel.allCases) : level(under: above?.rights.level ?? .admin),
            canDelegate: !rarely(),
            caveats: rarely() ? caveats() : caveats(under: above?.caveats),
            parent: parent,
            resource: rarely(20) ? .relay(.zero) : .zone(TokenFixture.zone),
            device: rarely(20) ? TokenFixture.device(of: below(4)) : nil,
            nonce: UInt8(below(256))
        )
        if rarely(20) { token = try TokenFixture.forged(token) }
        tokens.append(token)
    }

    private mutating func level(under parent: AccessLevel) -> AccessLevel {
        let levels = AccessLevel.allCases.filter { $0 <= parent }
        return rarely(3) ? one(of: levels) : parent
    }

    mutating func caveats() -> Caveats {
        Caveats(
            recordTypes: ["a", "b", "c"].filter { _ in below(4) == 0 },
            namePrefix: one(of: ["", "", "x", "xy", "z"]),
            notBefore: one(of: [nil, nil, 0, 5, 9]),
            expires: one(of: [nil, nil, 9, 5, .max]),
            delegationDepth: UInt8(below(8))
        )
    }

    mutating func caveats(under parent: Caveats?) -> Caveats {
        guard let parent else {
            return Caveats(recordTypes: rarely(3) ? ["a", "b", "c"] : [], delegationDepth: 7)
        }
        var types = parent.recordTypes
        if types.isEmpty, rarely(4) { types = ["a", "b", "c"] }
        if types.count > 1, rarely(3) { types.removeLast() }
        return Caveats(
            recordTypes: types,
            namePrefix: parent.namePrefix + (rarely(4) ? "x" : ""),
            notBefore: rarely(4) ? (parent.notBefore ?? 0) + 1 : parent.notBefore,
            expires: rarely(4) ? (parent.expires ?? 20) - 1 : parent.expires,
            delegationDepth: parent.delegationDepth == 0 ? 0 : parent.delegationDepth - 1
        )
    }
}

extension TokenFixture {
    /// The index of an account; account 0 for none.
    static func index(of account: AccountID?) -> Int {
        (0..<accountCount).first { self.account($0) == account } ?? 0
    }
}

/// Chains as the protocol's text has them, without any care for speed: every ancestor is looked at for each question,
/// and every fault is reported.
struct PlainChains {
    let tokens: [UnverifiedCapability]
    let owner: AccountID
    private let signed: [Bool]

    init(tokens: [UnverifiedCapability], owner: AccountID) {
        self.tokens = tokens
        self.owner = owner
        signed = tokens.map { token in
            token.capability.signer.verifyingKey.isValid(
                token.signed.signature.signature,
                over: token.signed.capability.encoded,
                context: .capability
            )
        }
    }

    /// Returns every fault of a token, root first.
    func faults(of leaf: UnverifiedCapability) -> [CapabilityError] {
        var chain = [leaf]
        // The parent of a token is one that the world made before it.
        while let parent = tokens.first(where: { $0.id == chain[0].capability.parent }) {
            chain.insert(parent, at: 0)
        }
        var faults: [CapabilityError] = []
        if chain.count > 8 { faults.append(.tooLong) }
        if chain[0].capability.issuer != owner { faults.append(.notRoot) }
        for (place, token) in chain.enumerated() {
            let capability = token.capability
            switch TokenFixture.standing(capability.signer, capability.issuer) {
            case nil: faults.append(.unknownAccount(capability.issuer))
            case .unknown: faults.append(.unknownSigner(capability.signer))
            case .active, .removed: break
            }
            let isSigned = zip(tokens, signed).contains { $0.id == token.id && $1 }
            if !isSigned { faults.append(.badSignature) }
            if place > 0 { faults += widenings(of: capability, under: chain[place - 1].capability) }
        }
        return faults
    }

    func widenings(of child: Capability, under parent: Capability) -> [CapabilityError] {
        let (caveats, above) = (child.caveats, parent.caveats)
        var faults: [CapabilityError] = []
        if child.resource != parent.resource { faults.append(.wrongResource) }
        if child.issuer != parent.audience { faults.append(.wrongAudience) }
        if !parent.rights.canDelegate { faults.append(.widened(.delegation)) }
        if caveats.delegationDepth >= above.delegationDepth { faults.append(.widened(.depth)) }
        if child.rights.level.rawValue > parent.rights.level.rawValue { faults.append(.widened(.level)) }
        let isTypesPart =
            above.recordTypes == []
            || caveats.recordTypes != [] && Set(caveats.recordTypes).isSubset(of: above.recordTypes)
        if !isTypesPart { faults.append(.widened(.types)) }
        if Array(caveats.namePrefix.utf8).prefix(above.namePrefix.utf8.count) != Array(above.namePrefix.utf8)[...] {
            faults.append(.widened(.prefix))
        }
        switch (caveats.notBefore, above.notBefore) {
        case (_, nil), (_, 0): break
        case (nil, _): faults.append(.widened(.notBefore))
        case (let own?, let limit?): if own < limit { faults.append(.widened(.notBefore)) }
        }
        switch (caveats.expires, above.expires) {
        case (_, nil): break
        case (nil, _): faults.append(.widened(.expiry))
        case (let own?, let limit?): if own > limit { faults.append(.widened(.expiry)) }
        }
        return faults
    }
}
