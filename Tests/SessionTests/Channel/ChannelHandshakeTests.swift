import Session
import Sodium
import TestSupport
import Testing
import Wire

@Suite struct ChannelHandshakeTests {
    @Test(arguments: ChannelVersion.allCases)
    func `both sides learn each other's key and payload and agree on the session's name`(
        _ version: ChannelVersion
    ) throws {
        let pair = try ChannelPair(version: version)
        pair.connect()
        let (first, second) = try #require(pair.established)
        #expect(first.handshakeHash == second.handshakeHash)
        #expect(first.handshakeHash.count == 64)
        #expect(first.remotePayload == Array("responder".utf8))
        #expect(second.remotePayload == Array("initiator".utf8))
        #expect(first.remoteStatic != second.remoteStatic)
        #expect(first.isInitiator && !second.isInitiator)
        #expect(first.purpose == .fleet && second.purpose == .fleet)
        #expect(first.version == version && second.version == version)
    }

    @Test(arguments: ChannelVersion.allCases)
    func `payloads of every size up to the maximum arrive`(_ version: ChannelVersion) throws {
        for count in [0, 1, 251, 252, 253, 4_000, ChannelLimits.payloadByteCountMax] {
            let payload = [UInt8](repeating: 0xAB, count: count)
            let pair = try ChannelPair(payloads: (payload, payload), version: version)
            pair.connect()
            let (first, second) = try #require(pair.established)
            #expect(first.remotePayload == payload && second.remotePayload == payload)
        }
        #expect(throws: ChannelError.tooLong(maximum: ChannelLimits.payloadByteCountMax)) {
            _ = try ChannelPair(
                payloads: ([UInt8](repeating: 0, count: ChannelLimits.payloadByteCountMax + 1), []),
                version: version
            )
        }
    }

    @Test(arguments: ChannelVersion.allCases)
    func `the length of a short payload does not show`(_ version: ChannelVersion) throws {
        var sizes: Set<Int> = []
        for count in [0, 10, 100, 251] {
            let pair = try ChannelPair(payloads: ([UInt8](repeating: 1, count: count), []), version: version)
            pair.connect()
            sizes.insert(pair.initiatorEvents.sentBytes.count)
        }
        #expect(sizes.count == 1)
    }

    @Test(arguments: ChannelVersion.allCases)
    func `a stranger with another secret gets no answer at all`(_ version: ChannelVersion) throws {
        let pair = try ChannelPair(initiatorSecret: [UInt8](repeating: 1, count: 32), version: version)
        pair.connect()
        #expect(pair.responderEvents == [.ignore])
        let isOver = pair.responder.isOver
        #expect(isOver)
        var events: [ChannelEvent] = []
        pair.initiator.ended(into: &events)
        #expect(events == [.closed(.endedInHandshake(messagesReceived: 0))])
    }

    @Test(arguments: ChannelVersion.allCases)
    func `a responder without secrets accepts no initiator`(_ version: ChannelVersion) throws {
        let pair = try ChannelPair(responderSecrets: [], version: version)
        pair.connect()
        #expect(pair.responderEvents == [.ignore])
    }

    @Test(arguments: ChannelVersion.allCases)
    func `the responder reports which of its secrets matched`(_ version: ChannelVersion) throws {
        let other = [UInt8](repeating: 9, count: 32)
        let pair = try ChannelPair(
            initiatorSecret: other,
            responderSecrets: [(.fleet, ChannelPair.fleet), (.ticket(identifier: [4]), other)],
            version: version
        )
        pair.connect()
        let (_, second) = try #require(pair.established)
        #expect(second.purpose == .ticket(identifier: [4]))
    }

    @Test(arguments: ChannelVersion.allCases)
    func `secrets beyond the bound are not looked at`(_ version: ChannelVersion) throws {
        var secrets = (0..<ChannelLimits.secretCountMax).map { index in
            let bytes = [UInt8(index & 0xff), UInt8(index >> 8)] + [UInt8](repeating: 3, count: 30)
            return (ChannelSecret.Purpose.guest, bytes)
        }
        secrets.append((.fleet, ChannelPair.fleet))
        let pair = try ChannelPair(responderSecrets: secrets, version: version)
        pair.connect()
        #expect(pair.responderEvents == [.ignore])
    }

    @Test(arguments: ChannelVersion.allCases)
    func `our own key shown to us is refused before our payload is sent`(_ version: ChannelVersion) throws {
        let pair = try ChannelPair(sameStaticKey: true, version: version)
        pair.connect()
        #expect(pair.initiatorEvents.end == .ownKey)
        #expect(pair.responderEvents.handshake == nil)
    }

    @Test(arguments: ChannelVersion.allCases)
    func `bytes thrown back at their sender lead nowhere`(_ version: ChannelVersion) throws {
        let pair = try ChannelPair(version: version)
        var events: [ChannelEvent] = []
        pair.initiator.start(into: &events)
        let own = events.sentBytes
        events = []
        pair.initiator.received(own, into: &events)
        #expect(events.handshake == nil && events.end == .handshakeFailed)
    }

    @Test(arguments: ChannelVersion.allCases)
    func `a replayed first flight gets an answer but no session`(_ version: ChannelVersion) throws {
        let original = try ChannelPair(version: version)
        var events: [ChannelEvent] = []
        original.initiator.start(into: &events)
        let flight = events.sentBytes
        original.toResponder = flight
        original.settle()
        let third = Array(original.initiatorEvents.sentBytes)
        #expect(original.established != nil)

        // Another connection to a responder with the same keys and secrets but its own randomness.
        let replay = try ChannelPair(seed: 2, version: version)
        replay.deliverToResponder(flight)
        #expect(replay.responderEvents.end == nil)
        replay.deliverToResponder(third)
        #expect(replay.responderEvents.handshake == nil)
        #expect(replay.responderEvents.end == .handshakeFailed)
    }

    @Test(arguments: ChannelVersion.allCases)
    func `every flipped bit in the first flight ends in silence or failure`(_ version: ChannelVersion) throws {
        var generator = SeededGenerator(seed: 3)
        let pair = try ChannelPair(version: version)
        var events: [ChannelEvent] = []
        pair.initiator.start(into: &events)
        let flight = events.sentBytes
        for index in flight.indices {
            let fresh = try ChannelPair(version: version)
            var altered = flight
            altered[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            fresh.deliverToResponder(altered)
            #expect(fresh.responderEvents.sentBytes.isEmpty, "byte \(index)")
            #expect(fresh.responderEvents.handshake == nil, "byte \(index)")
        }
    }

    @Test(arguments: ChannelVersion.allCases)
    func `every flipped byte in the second and third flight fails closed`(_ version: ChannelVersion) throws {
        for flight in [2, 3] {
            var index = 0
            while true {
                let pair = try ChannelPair(version: version)
                var events: [ChannelEvent] = []
                pair.initiator.start(into: &events)
                pair.note(events, isInitiator: true)
                pair.deliverToResponder()
                var bytes = pair.toInitiator
                if flight == 3 {
                    pair.deliverToInitiator()
                    bytes = pair.toResponder
                }
                guard index < bytes.count else { break }
                bytes[index] ^= 0x10
                if flight == 2 {
                    pair.deliverToInitiator(bytes)
                    #expect(pair.initiatorEvents.handshake == nil, "byte \(index)")
                } else {
                    pair.deliverToResponder(bytes)
                    #expect(pair.responderEvents.handshake == nil, "byte \(index)")
                }
                index += 7
            }
            #expect(index > 300)
        }
    }

    @Test(arguments: ChannelVersion.allCases)
    func `a connection cut at any byte of the handshake never establishes`(_ version: ChannelVersion) throws {
        let whole = try ChannelPair(version: version)
        whole.connect()
        let sent = whole.initiatorEvents.sentBytes
        for count in stride(from: 0, to: sent.count, by: 5) {
            let pair = try ChannelPair(version: version)
            pair.deliverToResponder(Array(sent.prefix(count)))
            var events: [ChannelEvent] = []
            pair.responder.ended(into: &events)
            #expect(pair.responderEvents.handshake == nil)
            #expect(events.count == 1)
        }
    }

    @Test(arguments: 0..<200, ChannelVersion.allCases)
    func `random bytes never trap and never establish`(_ seed: UInt64, _ version: ChannelVersion) throws {
        var generator = SeededGenerator(seed: seed)
        let pair = try ChannelPair(seed: seed, version: version)
        pair.deliverToResponder(generator.bytes(Int.random(in: 0...300, using: &generator)))
        #expect(pair.responderEvents.sentBytes.isEmpty, "seed \(seed)")
        var events: [ChannelEvent] = []
        pair.initiator.start(into: &events)
        pair.deliverToInitiator(generator.bytes(Int.random(in: 0...30_000, using: &generator)))
        #expect(pair.initiatorEvents.handshake == nil, "seed \(seed)")
        // With a true first flight in front, so that the later stages see random bytes as well.
        let second = try ChannelPair(seed: seed, version: version)
        second.deliverToResponder(events.sentBytes + generator.bytes(2_000))
        #expect(second.responderEvents.handshake == nil, "seed \(seed)")
    }

    @Test(arguments: ChannelVersion.allCases)
    func `an overlong handshake message is refused before it arrives`(_ version: ChannelVersion) throws {
        let pair = try ChannelPair(version: version)
        var events: [ChannelEvent] = []
        pair.initiator.start(into: &events)
        pair.deliverToInitiator([0xFF, 0xFF])
        #expect(pair.initiatorEvents.end == .handshakeFailed)
    }

    @Test(arguments: ChannelVersion.allCases)
    func `messages before the handshake's end are refused`(_ version: ChannelVersion) throws {
        let pair = try ChannelPair(version: version)
        var output: [UInt8] = []
        #expect(throws: ChannelError.notEstablished) { try pair.initiator.send(message: [1], into: &output) }
        #expect(output.isEmpty)
    }
}
