import Capabilities
import Identity
import Sodium
import TestSupport
import Wire

/// Capabilities that are worth nothing, each new to who looks at it: how many a second are turned away.
///
/// Each is presented as bytes, under a chain that is known and remembered, as to a member that somebody floods.
struct RefusalBench {
    private static let zone = ZoneID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4))
    private static let count = 2_000

    private let devices: [DeviceIdentity]
    /// A chain of eight, each handed to the next account.
    private let chain: [UnverifiedCapability]
    private let known: ChainCache
    private let generator = SeededGenerator(seed: 7)

    /// Makes the chain.
    init() {
        var generator = SeededGenerator(seed: 6)
        devices = (0..<10).map { _ in DeviceIdentity(using: &generator) }
        var chain: [UnverifiedCapability] = []
        for place in 0..<8 {
            let parent = chain.last?.id ?? .zero
            let capability = Self.capability(place, under: parent, signer: devices[place].deviceID, &generator)
            chain.append(Self.signed(capability, by: devices[place]))
        }
        self.chain = chain
        var known = ChainCache()
        _ = Self.ask(chain[7], &known, chain, devices)
        self.known = known
    }

    /// Measures, and writes the table.
    func run() {
        let message = [UInt8](repeating: 1, count: 256)
        let signature = devices[0].sign(message, context: .capability)
        let key = devices[0].deviceID.verifyingKey
        let check = Measurement { key.isValid(signature.signature, over: message, context: .capability) ? 1 : 0 }
        row("refusals, new ones", ["a second", "µs", "of libsodium"])
        report("libsodium, one signature", check, beside: check)
        report("taken: a good one, two long", good(), beside: check)
        let wider = flood(changing: { $0.caveats = Caveats(delegationDepth: 7) })
        report("widened: may be handed on further", wider, beside: check)
        report("wrong audience: another issuer", flood(changing: { $0.issuer = Self.account(5) }), beside: check)
        report("unknown caveat", flood(bytes: { $0.withUnknownCaveat }), beside: check)
        report("a ninth step", flood(under: 7, changing: { $0.issuer = Self.account(8) }), beside: check)
        report("unknown signer", flood(changing: { $0.signer = devices[9].deviceID }), beside: check)
        report("bad signature", flood(bytes: { $0.withBadSignature }), beside: check)
        report("bad signature, remembered", remembered(), beside: check)
    }

    private func report(_ name: String, _ measurement: Measurement, beside: Measurement) {
        row(
            name,
            [text(measurement.rate, 0), text(measurement.microseconds, 2), text(measurement.rate / beside.rate, 2)]
        )
    }

    // MARK: What is presented

    private static func account(_ index: Int) -> AccountID {
        AccountID(Digest32(word0: 9, word1: UInt64(index), word2: 0, word3: 0))
    }

    private static func capability(
        _ place: Int,
        under parent: Hash,
        signer: DeviceID,
        _ generator: inout SeededGenerator
    ) -> Capability {
        Capability(
            resource: .zone(zone),
            issuer: account(place),
            signer: signer,
            audience: account(place + 1),
            rights: Rights(.write, canDelegate: true),
            caveats: Caveats(
                recordTypes: ["note", "task"],
                namePrefix: "shared/",
                expires: 1_900_000_000_000,
                delegationDepth: UInt8(7 - min(place, 7))
            ),
            parent: parent,
            nonce: generator.bytes(Capability.nonceByteCount)
        )
    }

    private static func signed(_ capability: Capability, by device: DeviceIdentity) -> UnverifiedCapability {
        do {
            return UnverifiedCapability(try capability.signed(by: device.sign))
        } catch {
            preconditionFailure("a capability to measure: \(error)")
        }
    }

    /// Many different ones below a step of the chain, well signed unless their bytes are changed.
    private func presented(
        under place: Int,
        bytes: (SignedCapability) -> [UInt8] = { $0.encoded },
        _ change: (inout Draft) -> Void = { _ in }
    ) -> [[UInt8]] {
        var generator = generator
        return (0..<Self.count).map { _ in
            let good = Self.capability(
                place + 1,
                under: chain[place].id,
                signer: devices[place + 1].deviceID,
                &generator
            )
            var draft = Draft(good)
            change(&draft)
            return bytes(Self.signed(draft.capability, by: devices[place + 1]).signed)
        }
    }

    // MARK: Measuring

    private func good() -> Measurement { measure(presented(under: 0), isGood: true) }

    private func flood(
        under place: Int = 0,
        bytes: (SignedCapability) -> [UInt8] = { $0.encoded },
        changing change: (inout Draft) -> Void = { _ in }
    ) -> Measurement {
        measure(presented(under: place, bytes: bytes, change), isGood: false)
    }

    /// New ones for ever: what is remembered holds fewer than there are.
    private func measure(_ presented: [[UInt8]], isGood: Bool) -> Measurement {
        var cache = known
        var next = 0
        return Measurement {
            let bytes = presented[next % presented.count]
            next += 1
            // Nothing of an earlier round is remembered.
            if next % presented.count == 0 { cache = known }
            let result = present(bytes, &cache)
            precondition((result > 0) == isGood, "what is measured is refused, or taken, as it says")
            return result
        }
    }

    private func remembered() -> Measurement {
        let bytes = presented(under: 0, bytes: { $0.withBadSignature })[0]
        var cache = known
        return Measurement { present(bytes, &cache) }
    }

    private func present(_ bytes: [UInt8], _ cache: inout ChainCache) -> Int {
        do {
            return Self.ask(try UnverifiedCapability(bytes), &cache, chain, devices)
        } catch {
            return -1
        }
    }

    private static func ask(
        _ leaf: UnverifiedCapability,
        _ cache: inout ChainCache,
        _ chain: [UnverifiedCapability],
        _ devices: [DeviceIdentity]
    ) -> Int {
        do {
            let found = try cache.chain(
                endingIn: leaf,
                owner: account(0),
                parents: { id in chain.first { $0.id == id } },
                standing: { device, account in
                    let index = Int(truncatingIfNeeded: account.digest.word1)
                    return devices[index].deviceID == device ? .active(.full) : .unknown
                }
            )
            return found.steps.count
        } catch {
            return -1
        }
    }
}

/// A capability whose fields are changed before it is signed.
private struct Draft {
    private let original: Capability
    var issuer: AccountID
    var signer: DeviceID
    var caveats: Caveats

    init(_ capability: Capability) {
        original = capability
        (issuer, signer, caveats) = (capability.issuer, capability.signer, capability.caveats)
    }

    var capability: Capability {
        Capability(
            resource: original.resource,
            issuer: issuer,
            signer: signer,
            audience: original.audience,
            rights: original.rights,
            caveats: caveats,
            parent: original.parent,
            nonce: original.nonce
        )
    }
}

extension SignedCapability {
    /// The bytes with one bit of the signature turned.
    fileprivate var withBadSignature: [UInt8] {
        var bytes = encoded
        bytes[bytes.count - 5] ^= 1
        return bytes
    }

    /// The bytes with a limit that this version knows nothing of.
    fileprivate var withUnknownCaveat: [UInt8] {
        var bytes = capabilityBytes
        let place = bytes.count - Hash.zero.bytes.count - Capability.nonceByteCount
        bytes.insert(contentsOf: [1, 42], at: place)
        var writer = WireWriter()
        writer.writeBytes(bytes)
        writer.write(signature)
        return writer.bytes
    }
}
