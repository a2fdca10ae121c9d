import FuzzKit
import struct Simulator.StandInEncapsulation
import Sodium
import TestSupport
import Wire

@testable import Session

/// Keys and secrets that are the same in each run.
enum ChannelFixture {
    static let initiatorKey = key(1)
    static let responderKey = key(2)
    static let fleet = secret(.fleet, 0xF1)
    static let secrets = [secret(.guest, 1), fleet, secret(.earlierFleet(entry: [3]), 2)]
    static let payload = [UInt8](repeating: 0x70, count: 300)
    static let agreement = ChannelAgreement.hybrid(StandInEncapsulation())

    private static func key(_ seed: UInt64) -> AgreementKey {
        var generator = SeededGenerator(seed: seed)
        return .generate(using: &generator)
    }

    private static func secret(_ purpose: ChannelSecret.Purpose, _ byte: UInt8) -> ChannelSecret {
        always("a secret") { try ChannelSecret(purpose: purpose, bytes: [UInt8](repeating: byte, count: 32)) }
    }

    static func initiator(_ version: ChannelVersion) -> ChannelCore {
        var generator = SeededGenerator(seed: 3)
        do {
            return try ChannelCore(
                initiatorWith: fleet,
                staticKey: initiatorKey,
                localPayload: payload,
                agreement: agreement,
                version: version,
                startedAt: 0,
                using: &generator
            )
        } catch {
            preconditionFailure("an initiator: \(error)")
        }
    }

    static func responder(
        _ configuration: ChannelConfiguration = ChannelConfiguration(),
        with secrets: [ChannelSecret] = secrets
    ) -> ChannelCore {
        var generator = SeededGenerator(seed: 4)
        do {
            return try ChannelCore(
                responderWith: secrets,
                staticKey: responderKey,
                localPayload: payload,
                agreement: agreement,
                configuration: configuration,
                startedAt: 0,
                using: &generator
            )
        } catch {
            preconditionFailure("a responder: \(error)")
        }
    }

    /// The stranger's part of a key encapsulation; nothing in the first version.
    static func exchange(_ role: NoisePattern.Role, _ preamble: ChannelPreamble) -> EncapsulationExchange? {
        var generator = SeededGenerator(seed: 6)
        return EncapsulationExchange(agreement, ChannelVersion(atMost: preamble.version), for: role, using: &generator)
    }

    /// The other side of a handshake without a channel's rules above it: it may send anything.
    static func stranger(_ role: NoisePattern.Role, _ preamble: ChannelPreamble) -> HandshakeState<Blake2b512> {
        var generator = SeededGenerator(seed: 5)
        var key = fleet.key.exportBytes()
        let own = role == .initiator ? initiatorKey.duplicate() : responderKey.duplicate()
        return HandshakeState(
            unchecked: HandshakeCore.pattern(of: ChannelVersion(atMost: preamble.version)),
            role: role,
            prologue: preamble.prologue,
            staticKey: own,
            ephemeralKey: .generate(using: &generator),
            preSharedKeys: SecretBytes(wiping: &key, placement: .transient)
        )
    }
}

/// A channel under test with everything it did, and the laws that hold after each step.
struct ObservedChannel: ~Copyable {
    var core: ChannelCore
    private(set) var events: [ChannelEvent] = []
    private(set) var sent: [UInt8] = []
    /// More pieces take longer and find no more: a message has a head, a body and an end.
    private static let pieceCountMax = 24

    init(_ core: consuming ChannelCore) {
        self.core = core
    }

    mutating func start() {
        var new: [ChannelEvent] = []
        core.start(into: &new)
        note(new, wasOver: false)
    }

    mutating func receive(_ bytes: [UInt8]) {
        var new: [ChannelEvent] = []
        let wasOver = core.isOver
        core.received(bytes, into: &new)
        note(new, wasOver: wasOver)
    }

    /// Bytes in a few pieces of lengths that a program chooses.
    mutating func receive(_ bytes: [UInt8], pieces input: inout FuzzInput) {
        var rest = bytes[...]
        for _ in 0..<Self.pieceCountMax where !rest.isEmpty && !input.isEmpty {
            let count = 1 + Int(input.byte())
            receive(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        if !rest.isEmpty { receive(Array(rest)) }
    }

    mutating func end() {
        var new: [ChannelEvent] = []
        let wasOver = core.isOver
        core.ended(into: &new)
        note(new, wasOver: wasOver)
        demand(core.isOver, "what ended is over")
    }

    mutating func takeSent() -> [UInt8] {
        defer { sent = [] }
        return sent
    }

    var established: HandshakeResult? {
        for case .established(let result) in events { return result }
        return nil
    }

    private mutating func note(_ new: [ChannelEvent], wasOver: Bool) {
        demand(!wasOver || new.isEmpty, "nothing happens after the end")
        var endCount = 0
        for event in new {
            demand(endCount == 0, "the end is told last")
            switch event {
            case .send(let bytes): sent += bytes
            case .closed, .ignore: endCount += 1
            case .established, .message: break
            }
        }
        demand(endCount == (core.isOver && !wasOver ? 1 : 0), "an end is told once")
        events += new
    }
}
