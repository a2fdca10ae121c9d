import Capabilities
import Identity
import Sodium
import TestSupport
import Wire

/// Chains of capabilities: the cost of one whose signatures were never checked before, and of one whose signatures
/// are remembered.
struct ChainBench {
    private let devices: [DeviceIdentity]
    private let tokens: [UnverifiedCapability]

    /// Makes a chain of five with ordinary caveats.
    init() {
        var generator = SeededGenerator(seed: 1)
        var devices: [DeviceIdentity] = []
        var tokens: [UnverifiedCapability] = []
        for index in 0..<5 {
            let device = DeviceIdentity(using: &generator)
            let capability = Capability(
                resource: .zone(ZoneID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4))),
                issuer: Self.account(index),
                signer: device.deviceID,
                audience: Self.account(index + 1),
                rights: Rights(.write, canDelegate: true),
                caveats: Caveats(
                    recordTypes: ["note", "task"],
                    namePrefix: "shared/",
                    expires: 1_900_000_000_000,
                    delegationDepth: UInt8(7 - index)
                ),
                parent: tokens.last?.id ?? .zero,
                nonce: generator.bytes(Capability.nonceByteCount)
            )
            do {
                tokens.append(UnverifiedCapability(try capability.signed(by: device.sign)))
            } catch {
                preconditionFailure("a capability to measure: \(error)")
            }
            devices.append(device)
        }
        self.devices = devices
        self.tokens = tokens
    }

    private static func account(_ index: Int) -> AccountID {
        AccountID(Digest32(word0: 9, word1: UInt64(index), word2: 0, word3: 0))
    }

    /// Measures, and writes the table.
    func run() {
        let token = tokens[0]
        let key = token.capability.signer.verifyingKey
        let (signature, message) = (token.signed.signature.signature, token.signed.bodyBytes)
        let libsodium = Measurement { key.isValid(signature, over: message, context: .capability) ? 1 : 0 }
        row("chains", ["a second", "µs", "of libsodium"])
        report("libsodium, one signature", libsodium, beside: libsodium)
        report("decode one and name it", Measurement { decode(token.signed.encoded) }, beside: libsodium)
        for count in [1, 3, 5] {
            report("cold, \(count) long", Measurement { ask(count, in: SignatureMemory()) }, beside: libsodium)
        }
        for count in [1, 3, 5] {
            var memory = SignatureMemory()
            report("remembered, \(count) long", Measurement { ask(count, &memory) }, beside: libsodium)
        }
        row("bytes of one token", ["\(token.signed.encoded.count)"])
    }

    private func report(_ name: String, _ measurement: Measurement, beside: Measurement) {
        let ratio = measurement.rate / beside.rate
        row(name, [text(measurement.rate, 0), text(measurement.microseconds, 2), text(ratio, 2)])
    }

    private func decode(_ bytes: [UInt8]) -> Int {
        // A refusal would show as an impossible rate.
        (try? UnverifiedCapability(bytes))?.id.digest.word0.nonzeroBitCount ?? 0
    }

    private func ask(_ count: Int, in memory: consuming SignatureMemory) -> Int {
        var memory = memory
        return ask(count, &memory)
    }

    /// Checks the first tokens as a zone's resolution and a grant do: signatures, narrowing, signers.
    private func ask(_ count: Int, _ memory: inout SignatureMemory) -> Int {
        do {
            let steps = tokens.prefix(count).compactMap { memory.verify($0.signed) }
            let chain = try CapabilityChain(steps, owner: Self.account(0))
            try chain.checkSigners { device, account in
                // As fast as a lookup in an account's devices is.
                let index = Int(truncatingIfNeeded: account.digest.word1)
                return devices[index].deviceID == device ? .active(.full) : .unknown
            }
            return chain.steps.count
        } catch {
            return -1
        }
    }
}
