import Capabilities
import FuzzKit
import TestSupport
import Wire

/// Capabilities as values: the decoder, and the comparison of two of them.
///
/// Laws: bytes that decode are the encoding of their value; narrowing is transitive, gives nothing that the whole
/// does not give, and nothing narrows itself.
let capabilityTarget = FuzzTarget(
    "capabilities",
    inputByteCountMax: 2_200,
    run: { bytes in
        guard let first = bytes.first else { return }
        if first & 1 == 0 {
            checkDecoding(Array(bytes.dropFirst()))
        } else {
            checkNarrowing(FuzzInput(Array(bytes.dropFirst())))
        }
    },
    seeds: {
        var generator = SeededGenerator(seed: 21)
        let encodings = (0..<60).map { _ in [0] + SignedCapability.sample(&generator).encoded }
        return encodings + (0..<60).map { _ in [1] + generator.bytes(48) }
    }
)

private func checkDecoding(_ bytes: [UInt8]) {
    let unverified: UnverifiedCapability
    do {
        unverified = try UnverifiedCapability(bytes)
    } catch {
        let isExpected =
            switch error {
            case .tooLarge: bytes.count > Limits.signedCapabilityByteCountMax
            case .malformed: true
            default: false
            }
        demand(isExpected, "a decoder refuses bytes for what they are")
        return
    }
    demand(unverified.signed.encoded == bytes, "what decodes is canonical")
    demand(unverified.capability.encoded == unverified.signed.bodyBytes, "what is signed is canonical")
    demand(bytes.count <= Limits.signedCapabilityByteCountMax, "a signed capability has a greatest size")
    demand((try? UnverifiedCapability(bytes))?.id == unverified.id, "an id is a function of the bytes")
    demand(!narrows(unverified.capability, unverified.capability), "nothing narrows itself")
}

private func checkNarrowing(_ input: FuzzInput) {
    var input = input
    // The issuer and the audience of each are the same account, so that no audience stands in the way.
    let (whole, part, rest) = (capability(&input), capability(&input), capability(&input))
    for (parent, child) in [(whole, part), (part, rest), (whole, rest)] where narrows(child, parent) {
        demand(child.rights.level <= parent.rights.level, "a part has no higher level")
        let (own, limit) = (child.caveats, parent.caveats)
        for type in types + ["z"] where own.allows(type: type) {
            demand(limit.allows(type: type), "a part writes no other types")
        }
        for name in ["", "a", "ab", "abc", "b", "é", "e\u{301}"] where own.allows(name: name) {
            demand(limit.allows(name: name), "a part writes no other names")
        }
        let moments = [own.notBefore, own.expires, limit.notBefore, limit.expires].compactMap(\.self) + [0, .max]
        for moment in moments.flatMap({ [$0 &- 1, $0, $0 &+ 1] }) where isValid(own, moment) {
            demand(isValid(limit, moment), "a part has no other time")
        }
    }
    if narrows(part, whole), narrows(rest, part) {
        demand(narrows(rest, whole), "what narrows a part narrows the whole")
    }
}

private let types = ["a", "b", "c", "e\u{301}", "é"]

private func capability(_ input: inout FuzzInput) -> Capability {
    let bits = input.byte()
    func moment(_ input: inout FuzzInput) -> UInt64? { input.below(3) == 0 ? nil : input.number() }
    let caveats = Caveats(
        recordTypes: types.enumerated().filter { bits >> UInt8($0.offset) & 1 == 1 }.map(\.element),
        namePrefix: input.one(of: ["", "", "a", "ab", "e", "e\u{301}", "é"]),
        notBefore: moment(&input),
        expires: moment(&input),
        delegationDepth: UInt8(input.below(8))
    )
    return Capability(
        resource: input.below(8) == 0 ? .relay(.zero) : .zone(.zero),
        issuer: .zero,
        signer: .zero,
        audience: .zero,
        rights: Rights(input.one(of: AccessLevel.allCases), canDelegate: input.below(8) > 0),
        caveats: caveats,
        parent: .zero,
        nonce: [UInt8](repeating: 0, count: Capability.nonceByteCount)
    )
}

private func narrows(_ child: Capability, _ parent: Capability) -> Bool {
    // A refusal is the answer "no".
    (try? child.checkNarrows(parent)) != nil
}

private func isValid(_ caveats: Caveats, _ moment: UInt64) -> Bool {
    // A refusal is the answer "no".
    (try? caveats.checkTime(moment)) != nil
}
