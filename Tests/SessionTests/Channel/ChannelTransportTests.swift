import Session
import Sodium
import TestSupport
import Testing

@Suite struct ChannelTransportTests {
    private static let body = ChannelLimits.bodyByteCountMax

    @Test(arguments: [
        0, 1, 60, 61, 62, 1_021, 1_022, 65_000, body - 1, body, body + 1, 2 * body, 2 * body + 1, 1 << 20,
    ])
    func `a message of any size arrives as it was`(_ count: Int) throws {
        let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let pair = try ChannelPair()
        pair.connect()
        try pair.send(message)
        pair.deliverToResponder()
        try pair.responder.send(message: message, into: &pair.toInitiator)
        pair.deliverToInitiator()
        #expect(pair.responderEvents.messages == [message])
        #expect(pair.initiatorEvents.messages == [message])
    }

    @Test func `a conversation split at every byte is the same conversation`() throws {
        let whole = try ChannelPair()
        whole.connect()
        try whole.send([1, 2, 3])
        try whole.send([UInt8](repeating: 7, count: 300))
        let stream = whole.initiatorEvents.sentBytes + whole.toResponder
        whole.deliverToResponder()
        for place in stream.indices {
            let pair = try ChannelPair()
            pair.deliverToResponder(Array(stream[..<place]))
            pair.deliverToResponder(Array(stream[place...]))
            #expect(pair.responderEvents == whole.responderEvents, "split at \(place)")
        }
        let pair = try ChannelPair()
        for byte in stream {
            pair.deliverToResponder([byte])
        }
        #expect(pair.responderEvents == whole.responderEvents)
    }

    @Test(arguments: 0..<30)
    func `any sequence of messages in pieces of any size arrives in order`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pair = try ChannelPair(
            seed: seed,
            configuration: .init(rekey: RekeyPolicy(frameCount: 5, byteCount: 200_000))
        )
        pair.connect()
        var sent: [[UInt8]] = []
        for _ in 0..<20 {
            let isLong = Int.random(in: 0..<5, using: &generator) == 0
            let count = Int.random(in: 0...(isLong ? 150_000 : 200), using: &generator)
            let message = [UInt8](repeating: UInt8.random(in: 0...255, using: &generator), count: count)
            sent.append(message)
            try pair.send(message)
        }
        var stream = pair.toResponder[...]
        while !stream.isEmpty {
            let count = Int.random(in: 1...100_000, using: &generator)
            pair.deliverToResponder(Array(stream.prefix(count)))
            stream = stream.dropFirst(count)
        }
        #expect(pair.responderEvents.messages == sent, "seed \(seed)")
    }

    @Test func `both sides change keys at the same frame and continue`() throws {
        let pair = try ChannelPair(configuration: .init(rekey: RekeyPolicy(frameCount: 3, byteCount: .max)))
        pair.connect()
        for index in 0..<20 {
            try pair.send([UInt8(index)])
            pair.deliverToResponder()
        }
        #expect(pair.responderEvents.messages == (0..<20).map { [UInt8($0)] })
    }

    @Test func `both sides change keys by volume in the middle of a message`() throws {
        let pair = try ChannelPair(configuration: .init(rekey: RekeyPolicy(frameCount: .max, byteCount: 100_000)))
        pair.connect()
        let message = [UInt8](repeating: 5, count: 1 << 20)
        try pair.send(message)
        pair.deliverToResponder()
        #expect(pair.responderEvents.messages == [message])
    }

    @Test func `a side that does not change keys falls out of step`() throws {
        let quick = try ChannelPair(configuration: .init(rekey: RekeyPolicy(frameCount: 2, byteCount: .max)))
        let slow = try ChannelPair()
        quick.connect()
        slow.connect()
        for index in 0..<3 {
            try quick.send([UInt8(index)])
        }
        slow.deliverToResponder(quick.toResponder)
        #expect(slow.responderEvents.messages.count == 2)
        #expect(slow.responderEvents.end == .notAuthentic)
    }

    @Test func `messages of one size class look alike`() throws {
        func size(_ count: Int) throws -> Int {
            let pair = try ChannelPair()
            pair.connect()
            try pair.send([UInt8](repeating: 0, count: count))
            return pair.toResponder.count
        }
        #expect(try Set([0, 1, 30, 61].map(size)) == [2 + 64 + 16])
        #expect(try Set([62, 100, 125].map(size)) == [2 + 128 + 16])
        #expect(try Set([962, 1_021].map(size)) == [2 + 1_024 + 16])
        #expect(try Set([1_022, 2_000, 2_045].map(size)) == [2 + 2_048 + 16])
        #expect(try Set([64_510, Self.body].map(size)) == [ChannelLimits.frameByteCountMax])
        #expect(ChannelLimits.frameByteCountMax < 65_536)
    }

    @Test func `a frame has one of seventy-nine sizes`() throws {
        let pair = try ChannelPair()
        pair.connect()
        var sizes: Set<Int> = []
        for count in stride(from: 0, through: Self.body, by: 31) {
            try pair.send([UInt8](repeating: 0, count: count))
            sizes.insert(pair.toResponder.count)
            pair.toResponder = []
        }
        #expect(sizes.count == 79)
        #expect(sizes.min() == 82 && sizes.max() == 65_518)
    }

    @Test(arguments: [[0, 0], [0, 79], [0xFF, 0xFF], [0xFF, 0xED]] as [[UInt8]])
    func `a frame of an impossible size is refused before it arrives`(_ length: [UInt8]) throws {
        let pair = try ChannelPair()
        pair.connect()
        pair.deliverToResponder(length)
        #expect(pair.responderEvents.end == .protocolViolation)
    }

    @Test func `every flipped byte of a frame ends the channel silently`() throws {
        let original = try ChannelPair()
        original.connect()
        try original.send(Array("secret".utf8))
        let frame = original.toResponder
        for index in frame.indices {
            let pair = try ChannelPair()
            pair.connect()
            pair.toInitiator = []
            var altered = frame
            altered[index] ^= 0x01
            pair.deliverToResponder(altered)
            #expect(pair.responderEvents.messages.isEmpty, "byte \(index)")
            if index >= 2 {
                #expect(pair.responderEvents.end == .notAuthentic, "byte \(index)")
                #expect(pair.toInitiator.isEmpty, "byte \(index)")
            }
            pair.deliverToResponder(frame)
            #expect(pair.responderEvents.messages.isEmpty, "nothing may follow a failure")
        }
    }

    @Test func `a replayed, dropped or reordered frame ends the channel`() throws {
        for order in [[0, 0], [1], [1, 0]] {
            let pair = try ChannelPair()
            pair.connect()
            var frames: [[UInt8]] = []
            for index in 0..<2 {
                try pair.send([UInt8(index)])
                frames.append(pair.toResponder)
                pair.toResponder = []
            }
            for index in order {
                pair.deliverToResponder(frames[index])
            }
            #expect(pair.responderEvents.end == .notAuthentic, "order \(order)")
        }
    }

    @Test func `a frame thrown back at its sender does not open`() throws {
        let pair = try ChannelPair()
        pair.connect()
        try pair.send([1])
        pair.deliverToInitiator(pair.toResponder)
        #expect(pair.initiatorEvents.end == .notAuthentic)
    }

    @Test func `a goodbye is distinguished from a cut`() throws {
        let polite = try ChannelPair()
        polite.connect()
        var events: [ChannelEvent] = []
        polite.initiator.close(.goingAway, into: &events)
        polite.note(events, isInitiator: true)
        polite.deliverToResponder()
        polite.responder.ended(into: &polite.responderEvents)
        #expect(polite.initiatorEvents.end == .local(.goingAway))
        #expect(polite.responderEvents.end == .peer(.goingAway))
        #expect(polite.responderEvents.count { if case .closed = $0 { true } else { false } } == 1)

        let cut = try ChannelPair()
        cut.connect()
        try cut.send([UInt8](repeating: 1, count: 1_000))
        let frame = cut.toResponder
        cut.deliverToResponder(Array(frame.dropLast()))
        cut.responder.ended(into: &cut.responderEvents)
        #expect(cut.responderEvents.end == .truncated)
        #expect(cut.responderEvents.messages.isEmpty)
    }

    @Test func `nothing is sent or processed after the end`() throws {
        let pair = try ChannelPair()
        pair.connect()
        try pair.send([1])
        var events: [ChannelEvent] = []
        pair.responder.close(.done, into: &events)
        pair.deliverToResponder()
        #expect(pair.responderEvents.messages.isEmpty)
        var output: [UInt8] = []
        #expect(throws: ChannelError.closed) { try pair.responder.send(message: [1], into: &output) }
        events = []
        pair.responder.close(.done, into: &events)
        #expect(events.isEmpty)
    }

    @Test func `a message longer than the sender's limit is refused and the channel continues`() throws {
        let pair = try ChannelPair(configuration: .init(messageByteCountMax: 100))
        pair.connect()
        #expect(throws: ChannelError.tooLong(maximum: 100)) { try pair.send([UInt8](repeating: 0, count: 101)) }
        try pair.send([UInt8](repeating: 0, count: 100))
        pair.deliverToResponder()
        #expect(pair.responderEvents.messages.count == 1)
    }

    @Test func `a message longer than the receiver's limit ends the channel`() throws {
        // Two pairs with the same keys and different limits, so that the sender is free to send too much.
        let large = try ChannelPair()
        let small = try ChannelPair(configuration: .init(messageByteCountMax: 100_000))
        large.connect()
        small.connect()
        try large.send([UInt8](repeating: 0, count: 100_001))
        small.deliverToResponder(large.toResponder)
        #expect(small.responderEvents.end == .messageTooLong)
        #expect(small.responderEvents.messages.isEmpty)
        small.settle()
        #expect(small.initiatorEvents.end == .peer(.protocolViolation), "an authenticated peer hears why")
    }

    @Test func `padding frames are dropped`() throws {
        let pair = try ChannelPair()
        pair.connect()
        try pair.initiator.sendPadding(into: &pair.toResponder)
        try pair.send([4])
        pair.deliverToResponder()
        #expect(pair.responderEvents.messages == [[4]])
    }

    @Test(arguments: 0..<100)
    func `random bytes after the handshake never trap and never become a message`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pair = try ChannelPair(seed: seed)
        pair.connect()
        for _ in 0..<5 {
            let isLong = Int.random(in: 0..<10, using: &generator) == 0
            pair.deliverToResponder(generator.bytes(Int.random(in: 0...(isLong ? 70_000 : 300), using: &generator)))
        }
        #expect(pair.responderEvents.messages.isEmpty, "seed \(seed)")
    }

    @Test func `a session is due for renewal after fifteen minutes and not before`() throws {
        let pair = try ChannelPair()
        let limit = ChannelLimits.ageMillisecondsMax
        let due = [0, limit - 1, limit, UInt64.max].map { pair.initiator.shouldRenew(now: $0) }
        #expect(due == [false, false, true, true])
        #expect(limit == 900_000)
        // The other side ends it a minute later, even if the side that made it does not.
        let later = limit + ChannelLimits.renewalGraceMilliseconds
        let dueThere = [0, limit, later - 1, later, UInt64.max].map { pair.responder.shouldRenew(now: $0) }
        #expect(dueThere == [false, false, false, true, true])
    }

    @Test func `nothing after the handshake is read before the limit is decided`() throws {
        let pair = try ChannelPair(configuration: .init(waitsForVerdict: true))
        pair.connect()
        try pair.send([1])
        pair.deliverToResponder()
        try pair.send([2])
        pair.deliverToResponder()
        #expect(pair.responderEvents.messages.isEmpty)
        var events: [ChannelEvent] = []
        pair.responder.acceptMessages(upTo: 10, dropsLonger: false, into: &events)
        #expect(events.messages == [[1], [2]])
        try pair.send([3])
        pair.deliverToResponder()
        #expect(pair.responderEvents.messages == [[3]])
    }

    @Test func `messages before the verdict are bounded to two frames`() throws {
        let pair = try ChannelPair(configuration: .init(waitsForVerdict: true))
        pair.connect()
        try pair.send([UInt8](repeating: 0, count: 200_000))
        pair.deliverToResponder()
        #expect(pair.responderEvents.end == .messageTooLong)
    }

    @Test(arguments: [65_536, 65_537, 200_000])
    func `a message that is too long is dropped if so configured, and the next one arrives`(_ count: Int) throws {
        let pair = try ChannelPair(configuration: .init(waitsForVerdict: true))
        pair.connect()
        var events: [ChannelEvent] = []
        pair.responder.acceptMessages(upTo: 65_536, dropsLonger: true, into: &events)
        try pair.send([UInt8](repeating: 7, count: count))
        try pair.send([8])
        pair.deliverToResponder()
        #expect(pair.responderEvents.messages.map(\.count) == (count > 65_536 ? [1] : [count, 1]))
        #expect(pair.responderEvents.end == nil)
        // More is taken once more is known of the other side, also when it comes in the middle of a message.
        try pair.send([UInt8](repeating: 9, count: 140_000))
        let half = pair.toResponder.count / 2
        let rest = Array(pair.toResponder[half...])
        pair.deliverToResponder(Array(pair.toResponder[..<half]))
        pair.responder.acceptMessages(upTo: 1 << 20, dropsLonger: false, into: &events)
        pair.deliverToResponder(rest)
        try pair.send([UInt8](repeating: 10, count: 140_000))
        pair.deliverToResponder()
        #expect(pair.responderEvents.messages.last == [UInt8](repeating: 10, count: 140_000))
        #expect(pair.responderEvents.end == nil)
    }
}
