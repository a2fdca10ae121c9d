import Foundation
import Sealing
import Session
import Sodium
import TestSupport
import Testing
import Wire

/// Live handshakes with an independent implementation, in both roles.
///
/// `KAIRAN_INTEROP_PYTHON` names a Python that has the packages of `Tests/Interop/requirements.txt`.
@Suite struct NoiseInteropTests {
    private static let handshakesPerRole = 20
    private static let rekeyFrames: UInt64 = 4

    private static let python = ProcessInfo.processInfo.environment["KAIRAN_INTEROP_PYTHON"]
    private static let missing =
        "KAIRAN_INTEROP_PYTHON names no Python with the packages of Tests/Interop; make test-unit sets it"

    private static let agreement = ChannelAgreement.hybrid(MLKEM768Encapsulation())

    @Test(arguments: [true, false], ChannelVersion.allCases)
    func `a foreign implementation shakes hands and talks with us`(
        _ weInitiate: Bool,
        _ version: ChannelVersion
    ) throws {
        guard let python = Self.python else { return try cannotRun(Self.missing) }
        let peer = try InteropPeer(python: python)
        for round in 0..<Self.handshakesPerRole {
            try converse(with: peer, weInitiate: weInitiate, version, seed: UInt64(round))
        }
        try peer.stop()
        let role = weInitiate ? "initiator" : "responder"
        print("interoperability: \(Self.handshakesPerRole) handshakes as \(role) in version \(version.rawValue)")
    }

    @Test func `a foreign implementation with another secret hears nothing`() throws {
        guard let python = Self.python else { return try cannotRun(Self.missing) }
        let peer = try InteropPeer(python: python)
        var generator = SeededGenerator(seed: 1)
        let secret = try ChannelSecret(purpose: .fleet, bytes: generator.bytes(32))
        var channel = try ChannelCore(
            responderWith: [secret],
            staticKey: .generate(using: &generator),
            localPayload: [],
            agreement: Self.agreement,
            startedAt: 0,
            using: &generator
        )
        let first = try peer.start(
            role: "initiator",
            version: .hybrid,
            secret: generator.bytes(32),
            fixed: generator.bytes(32),
            payload: [],
            rekeyFrames: 1_000
        )
        var events: [ChannelEvent] = []
        channel.received(first.bytes, into: &events)
        #expect(events == [.ignore])
        try peer.stop()
    }

    private func converse(
        with peer: InteropPeer,
        weInitiate: Bool,
        _ version: ChannelVersion,
        seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let secretBytes = generator.bytes(32)
        let secret = try ChannelSecret(purpose: .fleet, bytes: secretBytes)
        let ours = AgreementKey.generate(using: &generator)
        let theirs = AgreementKey.generate(using: &generator)
        let payloads = (ours: generator.bytes(Int(seed) * 97), theirs: generator.bytes(Int(seed) * 31))
        let configuration = ChannelConfiguration(rekey: RekeyPolicy(frameCount: Self.rekeyFrames, byteCount: .max))
        var events: [ChannelEvent] = []
        var channel =
            weInitiate
            ? try ChannelCore(
                initiatorWith: secret,
                staticKey: ours,
                localPayload: payloads.ours,
                agreement: Self.agreement,
                version: version,
                configuration: configuration,
                startedAt: 0,
                using: &generator
            )
            : try ChannelCore(
                responderWith: [secret],
                staticKey: ours,
                localPayload: payloads.ours,
                agreement: Self.agreement,
                configuration: configuration,
                startedAt: 0,
                using: &generator
            )
        var answer = try peer.start(
            role: weInitiate ? "responder" : "initiator",
            version: version,
            secret: secretBytes,
            fixed: theirs.exportBytes(),
            payload: payloads.theirs,
            rekeyFrames: Self.rekeyFrames
        )
        channel.start(into: &events)
        var seen = 0
        while true {
            channel.received(answer.bytes, into: &events)
            let toSend = Array(events[seen...]).sentBytes
            seen = events.count
            if toSend.isEmpty { break }
            answer = try peer.received(toSend)
        }
        let result = try #require(events.handshake, "seed \(seed)")
        let ourPublic = ours.publicKey.bytes
        let theirPublic = theirs.publicKey
        #expect(result.version == version && result.remoteNewest == version)
        #expect(result.remoteStatic == theirPublic)
        #expect(result.remotePayload == payloads.theirs)
        #expect(try peer.result() == [result.handshakeHash, ourPublic, payloads.ours])
        // Messages of several frames in the first round only: hexadecimal digits are slow.
        let counts = [0, 1, 61, 62, 1_021, 1_022, Int(generator.next() % 3_000)] + (seed == 0 ? [65_000, 70_000] : [])
        try exchangeMessages(&channel, peer, &generator, counts: counts)
    }

    private func exchangeMessages(
        _ channel: inout ChannelCore,
        _ peer: InteropPeer,
        _ generator: inout SeededGenerator,
        counts: [Int]
    ) throws {
        for count in counts {
            let message = generator.bytes(count)
            var sealed: [UInt8] = []
            try channel.send(message: message, into: &sealed)
            #expect(try peer.received(sealed).messages == [message], "\(count) bytes to the peer")
            var events: [ChannelEvent] = []
            channel.received(try peer.send(message).bytes, into: &events)
            #expect(events == [.message(message)], "\(count) bytes from the peer")
        }
        var events: [ChannelEvent] = []
        channel.received(try peer.close(4).bytes, into: &events)
        #expect(events == [.closed(.peer(.refused))])
    }
}

extension [ChannelEvent] {
    fileprivate var handshake: HandshakeResult? {
        for case .established(let result) in self { return result }
        return nil
    }

    fileprivate var sentBytes: [UInt8] {
        flatMap { event -> [UInt8] in
            if case .send(let bytes) = event { bytes } else { [] }
        }
    }
}
