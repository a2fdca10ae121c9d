import NIOCore
import NIOEmbedded
import Node
import Session
import TestSupport
import Testing

@testable import Transport

@Suite struct PeerHandlerTests {
    @Test func `two sides that share a secret agree on a channel`() throws {
        let (one, two) = try HandlerBench.pair()
        let (first, second) = (try #require(one.sink.connection), try #require(two.sink.connection))
        #expect(first.dial == 7 && second.dial == nil)
        #expect(first.handshake.isInitiator && !second.handshake.isInitiator)
        #expect(first.handshake.handshakeHash == second.handshake.handshakeHash)
        #expect(first.handshake.remotePayload == Array("payload".utf8))
        #expect(two.doors.count(in: .accepted) == 0)
    }

    @Test func `messages arrive whole and in order`() throws {
        let (one, two) = try HandlerBench.pair()
        let messages = [[], [1], [UInt8](repeating: 2, count: 3_000), [3]]
        for message in messages { one.sink.connection?.send(message) }
        try HandlerBench.exchange(one, two)
        #expect(two.sink.messages == messages)
    }

    @Test func `before a device is admitted a message of more than 64 KiB ends the connection`() throws {
        for room in [DoorRoom.fleet, .admitted] {
            let (one, two) = try HandlerBench.pair(room: nil)
            one.sink.connection?.setRoom(.admitted)
            two.sink.connection?.setRoom(room)
            let longest = [UInt8](repeating: 2, count: 64 << 10)
            one.sink.connection?.send(longest)
            one.sink.connection?.send(longest + [2])
            try HandlerBench.exchange(one, two)
            let isTaken = room == .admitted
            #expect(two.sink.messages.map(\.count) == (isTaken ? [longest.count, longest.count + 1] : [longest.count]))
            #expect(two.sink.closeReasons == (isTaken ? [] : [.messageTooLong]))
        }
    }

    @Test func `many small messages become one write`() throws {
        let (one, _) = try HandlerBench.pair()
        one.channel.isWritable = false
        for _ in 0..<100 { one.sink.connection?.send([1]) }
        one.channel.isWritable = true
        one.channel.pipeline.fireChannelWritabilityChanged()
        var writes = 0
        while try one.channel.readOutbound(as: ByteBuffer.self) != nil { writes += 1 }
        #expect(writes == 1)
    }

    @Test func `a stranger's bytes are met with silence`() throws {
        let two = try HandlerBench(.responder([try .sample(9)]))
        try two.receive(Array("GET / HTTP/1.1\r\nHost: somewhere.example\r\n\r\n".utf8))
        #expect(try two.takeSent().isEmpty)
        #expect(!two.channel.isActive)
        #expect(two.failed.count == 1)
        #expect(two.sink.all.isEmpty)
        #expect(two.doors.count(in: .accepted) == 0)
    }

    @Test func `another secret is met with silence, and the dial fails`() throws {
        let one = try HandlerBench(.initiator(try .sample(8)), key: 1)
        let two = try HandlerBench(.responder([try .sample(9)]), key: 2)
        try two.receive(one.takeSent())
        #expect(try two.takeSent().isEmpty)
        #expect(!two.channel.isActive)
        one.channel.close(promise: nil)
        one.loop.run()
        #expect(one.failed == ["\(CloseReason.endedInHandshake(messagesReceived: 0).dialFailure)"])
    }

    @Test func `a handshake that is drawn out is cut after five seconds`() throws {
        let secret = try ChannelSecret.sample(9)
        let one = try HandlerBench(.initiator(secret), key: 1)
        let two = try HandlerBench(.responder([secret]), key: 2)
        for byte in try one.takeSent().prefix(40) {
            two.loop.advanceTime(by: .milliseconds(120))
            try two.receive([byte])
        }
        two.loop.advanceTime(by: .milliseconds(199))
        #expect(two.channel.isActive)
        two.loop.advanceTime(by: .milliseconds(1))
        #expect(!two.channel.isActive)
        #expect(two.failed == ["the handshake took too long"])
        #expect(two.doors.count(in: .accepted) == 0)
        // The side that waits for an answer gives up likewise.
        one.loop.advanceTime(by: .seconds(5))
        #expect(one.failed == ["the handshake took too long"])
    }

    @Test func `an established channel has no deadline`() throws {
        let (one, two) = try HandlerBench.pair()
        for bench in [one, two] { bench.loop.advanceTime(by: .minutes(10)) }
        #expect(one.channel.isActive && two.channel.isActive)
    }

    @Test func `our own reflected key is refused`() throws {
        let secret = try ChannelSecret.sample(9)
        let one = try HandlerBench(.initiator(secret), key: 1)
        let two = try HandlerBench(.responder([secret]), key: 1)
        try HandlerBench.exchange(one, two)
        #expect(one.sink.connection == nil && two.sink.connection == nil)
        #expect(one.failed == ["\(DialFailure.ourselves)"])
    }

    @Test func `the code of a goodbye arrives after the messages before it`() throws {
        let (one, two) = try HandlerBench.pair()
        one.sink.connection?.send([1])
        one.sink.connection?.close(code: 99)
        one.sink.connection?.send([2])
        try HandlerBench.exchange(one, two)
        #expect(two.sink.messages == [[1]])
        #expect(one.sink.closeReasons == [.local(CloseCode(rawValue: 99))])
        #expect(two.sink.closeReasons == [.peer(CloseCode(rawValue: 99))])
        #expect(!two.channel.isActive)
    }

    @Test func `an end without a goodbye is a truncation, reported once`() throws {
        let (one, two) = try HandlerBench.pair()
        two.channel.close(promise: nil)
        one.channel.pipeline.fireErrorCaught(CancellationError())
        one.loop.run()
        two.loop.run()
        #expect(one.sink.closeReasons == [.truncated])
        #expect(two.sink.closeReasons == [.truncated])
    }

    @Test func `an altered byte ends the channel, and nothing of it is delivered`() throws {
        let (one, two) = try HandlerBench.pair()
        one.sink.connection?.send([1, 2, 3])
        var bytes = try one.takeSent()
        bytes[bytes.count - 1] ^= 1
        try two.receive(bytes)
        #expect(two.sink.messages.isEmpty)
        #expect(two.sink.closeReasons == [.notAuthentic])
        #expect(!two.channel.isActive)
    }

    @Test func `reading stops and resumes when the sink asks for it`() throws {
        let (one, two) = try HandlerBench.pair()
        two.sink.takesMore = false
        one.sink.connection?.send([1])
        try HandlerBench.exchange(one, two)
        #expect(!two.isReading)
        two.sink.connection?.resumeReading()
        two.loop.run()
        #expect(two.isReading)
    }

    @Test func `reading continues for the goodbye when the channel is closed while paused`() throws {
        let (one, two) = try HandlerBench.pair()
        two.sink.takesMore = false
        one.sink.connection?.send([1])
        try HandlerBench.exchange(one, two)
        two.sink.connection?.close(code: 1)
        two.loop.run()
        #expect(two.isReading)
    }

    @Test func `messages wait while the socket is full, and are sent afterwards`() throws {
        let (one, two) = try HandlerBench.pair()
        one.channel.isWritable = false
        one.sink.connection?.send([1])
        #expect(try one.takeSent().isEmpty)
        one.channel.isWritable = true
        one.channel.pipeline.fireChannelWritabilityChanged()
        try HandlerBench.exchange(one, two)
        #expect(two.sink.messages == [[1]])
    }

    @Test func `a peer that reads nothing is dropped when the bound is reached`() throws {
        var limits = TransportLimits()
        limits.waitingByteCountMax = 1_000
        let (one, _) = try HandlerBench.pair(limits: limits)
        one.channel.isWritable = false
        for _ in 0..<3 { one.sink.connection?.send([UInt8](repeating: 0, count: 400)) }
        one.loop.run()
        #expect(one.sink.closeReasons == [.local(.busy)])
    }

    @Test func `a goodbye that cannot be sent is given up after a second`() throws {
        let (one, _) = try HandlerBench.pair()
        one.channel.isWritable = false
        one.sink.connection?.close(code: 5)
        one.loop.run()
        one.loop.advanceTime(by: .milliseconds(999))
        #expect(one.sink.closeReasons.isEmpty && one.channel.isActive)
        one.loop.advanceTime(by: .milliseconds(1))
        #expect(one.sink.closeReasons == [.local(CloseCode(rawValue: 5))])
        #expect(!one.channel.isActive)
    }

    @Test func `a session that the side which made it does not replace is ended by the other one a minute later`()
        throws
    {
        let (_, two) = try HandlerBench.pair()
        two.loop.advanceTime(by: .minutes(16) - .milliseconds(1))
        #expect(two.sink.closeReasons.isEmpty)
        two.loop.advanceTime(by: .seconds(1))
        #expect(try !two.takeSent().isEmpty, "a goodbye")
        #expect(two.sink.closeReasons == [.local(.renew)])
    }

    @Test(arguments: DoorRoom.allCases.filter { ![.admitted, .guest].contains($0) })
    func `a connection in any room ends when its peer is not identified in time`(
        _ room: DoorRoom
    ) throws {
        let (_, two) = try HandlerBench.pair(room: nil)
        if room != .accepted { two.sink.connection?.setRoom(room) }
        two.loop.advanceTime(by: .milliseconds(Int64(DoorLimits()[room: room].milliseconds ?? 0) + 10_000))
        two.loop.advanceTime(by: .seconds(1))
        #expect(two.sink.closeReasons == [.local(.silent)])
        #expect(!two.channel.isActive)
        #expect(DoorRoom.allCases.allSatisfy { two.doors.count(in: $0) == 0 })
    }

    @Test(arguments: [DoorRoom.joining, .invitation])
    func `a message that comes in parts has no more time than the room, however late each part comes`(
        _ room: DoorRoom
    ) throws {
        let (one, two) = try HandlerBench.pair(room: nil)
        one.sink.connection?.setRoom(.admitted)
        two.sink.connection?.setRoom(room)
        let sixth = Int64(try #require(DoorLimits()[room: room].milliseconds)) / 6
        for count in 1...5 {
            one.sink.connection?.send([UInt8](repeating: 1, count: 61_446))
            try HandlerBench.exchange(one, two)
            #expect(two.sink.messages.count == count)
            two.loop.advanceTime(by: .milliseconds(sixth))
        }
        #expect(two.sink.closeReasons.isEmpty)
        two.loop.advanceTime(by: .milliseconds(sixth))
        two.loop.advanceTime(by: .seconds(1))
        #expect(two.sink.closeReasons == [.local(.silent)])
    }

    @Test func `nothing is read before the peer is identified`() throws {
        let (one, two) = try HandlerBench.pair(room: nil)
        #expect(!two.isReading)
        one.sink.connection?.setRoom(.admitted)
        one.sink.connection?.send([1])
        try HandlerBench.exchange(one, two)
        #expect(two.sink.messages.isEmpty)
        two.sink.connection?.setRoom(.admitted)
        try HandlerBench.exchange(one, two)
        #expect(two.sink.messages == [[1]] && two.isReading)
    }

    @Test func `a full room is reported`() throws {
        var limits = TransportLimits()
        limits.doors[room: .guest] = .init(count: 1, countPerAddress: 1, milliseconds: nil)
        let (one, two) = try HandlerBench.pair(limits: limits, room: nil)
        let from = try SocketAddress(ipAddress: "192.0.2.1", port: 6)
        let other = try two.doors.connected(from: from, at: two.loop.now) {}.get()
        #expect(other.knocked(at: .zone, two.loop.now) != nil && other.proved(two.loop.now) != nil)
        #expect(other.identified(in: .guest, two.loop.now) != nil)
        two.sink.connection?.setRoom(.guest)
        one.sink.connection?.setRoom(.admitted)
        try HandlerBench.exchange(one, two)
        #expect(one.sink.closeReasons == [.peer(.busy)])
    }

    @Test func `the side that connected ends a session of a quarter of an hour first`() throws {
        let (one, two) = try HandlerBench.pair()
        two.loop.advanceTime(by: .minutes(15))
        one.loop.advanceTime(by: .minutes(15) - .milliseconds(1))
        #expect(one.sink.closeReasons.isEmpty && two.sink.closeReasons.isEmpty)
        one.loop.advanceTime(by: .milliseconds(1))
        try HandlerBench.exchange(one, two)
        #expect(one.sink.closeReasons == [.local(.renew)])
        #expect(two.sink.closeReasons == [.peer(.renew)])
    }

    @Test func `a message longer than the bound is not sent and ends the channel`() throws {
        var limits = TransportLimits()
        limits.messageByteCountMax = 10
        let (one, two) = try HandlerBench.pair(limits: limits)
        one.sink.connection?.send([UInt8](repeating: 0, count: 11))
        try HandlerBench.exchange(one, two)
        #expect(two.sink.messages.isEmpty)
        #expect(one.sink.closeReasons == [.local(.protocolViolation)])
        #expect(two.sink.closeReasons == [.peer(.protocolViolation)])
    }

    @Test func `an ended connection accepts no orders`() throws {
        let (one, two) = try HandlerBench.pair()
        let connection = try #require(two.sink.connection)
        one.sink.connection?.close(code: 1)
        try HandlerBench.exchange(one, two)
        connection.send([1])
        connection.resumeReading()
        connection.close(code: 3)
        two.loop.run()
        #expect(two.sink.closeReasons.count == 1)
        #expect(try two.takeSent().isEmpty)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `law: however the stream is cut into pieces, the same messages arrive`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (one, two) = try HandlerBench.pair()
        let messages = (0..<40).map { _ in random.bytes(Int.random(in: 0..<4_000, using: &random)) }
        for message in messages { one.sink.connection?.send(message) }
        var rest = try one.takeSent()[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...2_000, using: &random))
            rest = rest.dropFirst(piece.count)
            try two.receive(Array(piece))
        }
        #expect(two.sink.messages == messages, "seed \(seed)")
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `law: random bytes never get an answer`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let two = try HandlerBench(.responder([try .sample(9)]))
            for _ in 0..<5 where two.channel.isActive {
                try two.receive(random.bytes(Int.random(in: 1..<200, using: &random)))
            }
            #expect(try two.takeSent().isEmpty, "seed \(seed)")
            #expect(two.sink.all.isEmpty, "seed \(seed)")
        }
    }
}
