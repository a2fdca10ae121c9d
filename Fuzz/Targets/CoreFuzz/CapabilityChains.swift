import Capabilities
import FuzzKit
import Identity
import Sodium
import TestSupport
import Wire

/// Chains of capabilities: a program that makes tokens by known devices below one another, changes their fields and
/// bytes, and signs them afterwards, so that no signature stops the fuzzer.
///
/// Laws: a chain of verified capabilities is accepted exactly if a plain reference finds nothing wrong with it, and
/// refused for a reason that the reference finds too; no signature is checked twice while it is remembered.
let capabilityChainTarget = FuzzTarget(
    "capability-chains",
    inputByteCountMax: 400,
    run: { bytes in
        var program = ChainProgram(FuzzInput(bytes))
        while !program.isOver { program.step() }
        program.checkVerdicts()
    },
    seeds: {
        var generator = SeededGenerator(seed: 22)
        return (0..<120).map { _ in
            (0..<(1 + generator.below(11))).flatMap { place -> [UInt8] in
                // Mostly well-formed: below the newest token, narrower by a step, no change of fields or bytes.
                let odd = UInt8(generator.below(8) == 0 ? generator.below(256) : 0)
                return [UInt8(place), UInt8(generator.below(3)), odd, UInt8(generator.below(256)), 0, 0]
            }
        }
    }
)

private enum ChainFixture {
    static let accounts = (0..<4).map { AccountID(Digest32(word0: 0xA0, word1: UInt64($0), word2: 0, word3: 0)) }
    static let devices: [DeviceIdentity] = {
        var generator = SeededGenerator(seed: 0xCA9AB1)
        return (0..<4).map { _ in DeviceIdentity(using: &generator) }
    }()

    /// Device n belongs to account n; the log of account 3 is not held.
    static let standing: @Sendable (DeviceID, AccountID) -> AccountState.Standing? = { device, account in
        guard let index = accounts.firstIndex(of: account), index < 3 else { return nil }
        return devices[index].deviceID == device ? .active(.full) : .unknown
    }
}

private struct ChainProgram {
    private var input: FuzzInput
    private var tokens: [UnverifiedCapability] = []
    /// The tokens whose signature is the signer's: the reference checks each once, so that there is time for more programs.
    private var signed: Set<Hash> = []

    init(_ input: FuzzInput) {
        self.input = input
    }

    var isOver: Bool { input.isEmpty || tokens.count >= 12 }

    mutating func step() {
        let parent = parent()
        let above = parent?.capability
        let audience = input.below(4)
        let change = input.byte()
        let issuer = above.flatMap { ChainFixture.accounts.firstIndex(of: $0.audience) } ?? 0
        let caveats = caveats(under: above?.caveats, step: input.byte(), change: change)
        // Six bits of the change select the field that is wrong.
        let capability = Capability(
            resource: change & 1 == 1 ? .account(.zero) : .zone(.zero),
            issuer: ChainFixture.accounts[change & 2 == 2 ? input.below(4) : issuer],
            signer: ChainFixture.devices[change & 4 == 4 ? input.below(4) : issuer].deviceID,
            audience: ChainFixture.accounts[audience],
            rights: Rights(
                change & 8 == 8 ? input.one(of: AccessLevel.allCases) : above?.rights.level ?? .admin,
                canDelegate: change & 16 == 0
            ),
            caveats: caveats,
            parent: parent?.id ?? .zero,
            nonce: [UInt8](repeating: UInt8(tokens.count), count: Capability.nonceByteCount)
        )
        sign(input.mutate(capability.encoded), by: issuer)
    }

    /// The newest token mostly, else an older one or none.
    private mutating func parent() -> UnverifiedCapability? {
        let choice = input.byte()
        guard let last = tokens.last, choice > 0 else { return nil }
        return choice < 200 ? last : tokens[Int(choice) % tokens.count]
    }

    private mutating func caveats(under parent: Caveats?, step: UInt8, change: UInt8) -> Caveats {
        guard change & 32 == 0 else {
            return Caveats(
                recordTypes: ["a", "b"].filter { _ in input.bool() },
                namePrefix: input.one(of: ["", "x", "xy"]),
                notBefore: input.bool() ? input.number() : nil,
                expires: input.bool() ? input.number() : nil,
                delegationDepth: UInt8(input.below(8))
            )
        }
        let parent = parent ?? Caveats(expires: 1_000, delegationDepth: 7)
        return Caveats(
            recordTypes: step & 1 == 1 && parent.recordTypes.isEmpty ? ["a", "b"] : parent.recordTypes,
            namePrefix: parent.namePrefix + (step & 2 == 2 ? "x" : ""),
            notBefore: step & 4 == 4 ? (parent.notBefore ?? 0) &+ 1 : parent.notBefore,
            expires: parent.expires.map { step & 8 == 8 && $0 > 0 ? $0 - 1 : $0 },
            delegationDepth: parent.delegationDepth == 0 ? 0 : parent.delegationDepth - 1
        )
    }

    /// Signs a capability.
    ///
    /// Bytes that no longer decode as one are of no use here: `capabilities` looks at those.
    private mutating func sign(_ bytes: [UInt8], by device: Int) {
        guard let capability = try? Capability(decoding: bytes) else { return }
        let identity = ChainFixture.devices[device]
        let signature =
            switch input.below(16) {
            case 15: ChainFixture.devices[(device + 1) % 4].sign(bytes, context: .capability)
            case 14: identity.sign(bytes, context: .treeHead)
            default: identity.sign(bytes, context: .capability)
            }
        let signed = SignedCapability(capability, signature: signature)
        guard signed.encoded.count <= Limits.signedCapabilityByteCountMax else { return }
        let token = UnverifiedCapability(signed)
        tokens.append(token)
        let key = capability.signer.verifyingKey
        if key.isValid(signature.signature, over: capability.encoded, context: .capability) {
            self.signed.insert(token.id)
        }
    }

    // MARK: The laws

    func checkVerdicts() {
        var memory = SignatureMemory()
        for token in tokens { check(token, &memory) }
        let checked = memory.checkCount
        for token in tokens.reversed() { check(token, &memory) }
        demand(checked <= UInt64(tokens.count) && memory.checkCount == checked, "no signature is checked twice")
    }

    private func check(_ token: UnverifiedCapability, _ memory: inout SignatureMemory) {
        let faults = faults(of: token)
        do {
            guard let chain = try chain(endingIn: token, &memory) else {
                demand(faults.contains(.notRoot), "a chain without its root is incomplete")
                return
            }
            demand(faults.isEmpty, "what is taken has no fault: \(faults)")
            demand(chain.leaf.id == token.id && chain.steps.count <= 8, "the chain is the token's")
        } catch {
            demand(faults.contains(error), "what is refused has the fault: \(error), \(faults)")
        }
    }

    /// The chain from the root down to a token.
    private func chain(
        endingIn leaf: UnverifiedCapability,
        _ memory: inout SignatureMemory
    ) throws(CapabilityError) -> CapabilityChain? {
        var upwards = [leaf]
        while let top = upwards.last, !top.capability.parent.isZero {
            guard upwards.count < CapabilityChain.stepCountMax else { throw .tooLong }
            guard let parent = tokens.first(where: { $0.id == top.capability.parent }) else { return nil }
            upwards.append(parent)
        }
        var steps: [VerifiedCapability] = []
        for token in upwards.reversed() {
            guard let verified = memory.verify(token.signed) else { throw .badSignature }
            steps.append(verified)
        }
        let chain = try CapabilityChain(steps, owner: ChainFixture.accounts[0])
        try chain.checkSigners(ChainFixture.standing)
        return chain
    }

    /// Returns every fault of a token and of those above it, by the protocol's text and nothing else.
    private func faults(of leaf: UnverifiedCapability) -> [CapabilityError] {
        var faults: [CapabilityError] = []
        var token = leaf
        var count = 1
        while true {
            faults += ownFaults(of: token)
            let id = token.capability.parent
            if id.isZero { break }
            // A parent of the eighth one makes nine, even if it is not here.
            if count == 8 { faults.append(.tooLong) }
            // Incomplete: the tokens above it are not in the program, which `chain` reports before anything else.
            guard let parent = tokens.first(where: { $0.id == id }) else { return faults + [.notRoot] }
            faults += widenings(of: token.capability, under: parent.capability)
            token = parent
            count += 1
        }
        if token.capability.issuer != ChainFixture.accounts[0] { faults.append(.notRoot) }
        return faults
    }

    private func ownFaults(of token: UnverifiedCapability) -> [CapabilityError] {
        let capability = token.capability
        var faults: [CapabilityError] = []
        switch ChainFixture.standing(capability.signer, capability.issuer) {
        case nil: faults.append(.unknownAccount(capability.issuer))
        case .unknown: faults.append(.unknownSigner(capability.signer))
        case .active, .removed: break
        }
        return signed.contains(token.id) ? faults : faults + [.badSignature]
    }

    private func widenings(of child: Capability, under parent: Capability) -> [CapabilityError] {
        let (caveats, above) = (child.caveats, parent.caveats)
        let types = Set(caveats.recordTypes.map(BytewiseString.init))
        let allowed = Set(above.recordTypes.map(BytewiseString.init))
        let prefix = Array(above.namePrefix.utf8)
        let table: [(holds: Bool, fault: CapabilityError)] = [
            (child.resource == parent.resource, .wrongResource),
            (child.issuer == parent.audience, .wrongAudience),
            (parent.rights.canDelegate, .widened(.delegation)),
            (caveats.delegationDepth < above.delegationDepth, .widened(.depth)),
            (child.rights.level.rawValue <= parent.rights.level.rawValue, .widened(.level)),
            (allowed.isEmpty || !types.isEmpty && types.isSubset(of: allowed), .widened(.types)),
            (Array(caveats.namePrefix.utf8.prefix(prefix.count)) == prefix, .widened(.prefix)),
            (caveats.notBefore ?? 0 >= above.notBefore ?? 0, .widened(.notBefore)),
            (above.expires == nil || caveats.expires.map { $0 <= above.expires ?? .max } ?? false, .widened(.expiry)),
        ]
        return table.filter { !$0.holds }.map(\.fault)
    }
}
