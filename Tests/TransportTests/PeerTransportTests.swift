import Glibc
import Logging
import NIOCore
import NIOPosix
import Node
import Sealing
import ServiceLifecycle
import Session
import Sodium
import TestSupport
import Testing
import Wire

@testable import Transport

/// With real sockets on the loopback interface.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PeerTransportTests {
    private let secret: ChannelSecret
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws {
        secret = try .sample(9)
    }

    private func transport(
        _ sink: RecordingSink,
        key: UInt8,
        listen: [(host: String, port: UInt16)] = [("::", 0)],
        limits: TransportLimits = TransportLimits(),
        agreement: ChannelAgreement = .hybrid(MLKEM768Encapsulation())
    ) throws -> PeerTransport {
        PeerTransport(
            listen: listen,
            identity: ChannelIdentity(try AgreementKey(bytes: [UInt8](repeating: key, count: 32))),
            agreement: agreement,
            sink: sink,
            limits: limits,
            logger: logger
        )
    }

    /// Runs transports while the body runs; afterwards they have ended.
    private func running(_ transports: PeerTransport..., body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for transport in transports { group.addTask { try await transport.run() } }
            for transport in transports {
                while transport.listeningPort == nil, !transport.listen.isEmpty { await Task.yield() }
            }
            try await body()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private func loopback(_ transport: PeerTransport, host: String = "127.0.0.1") throws -> PeerAddress {
        PeerAddress(host: host, port: try #require(transport.listeningPort))
    }

    @Test func `ten thousand messages of up to a megabyte arrive whole and in order, in both directions`() async throws
    {
        let sinks = (RecordingSink([secret]), RecordingSink([secret]))
        let one = try transport(sinks.0, key: 1, listen: [])
        let two = try transport(sinks.1, key: 2)
        try await running(one, two) {
            one.dial(try loopback(two), id: 1, secret: secret, version: .newest)
            var readers = (SinkReader(sinks.0), SinkReader(sinks.1))
            let ends = (try await readers.0.opened(), try await readers.1.opened())
            var random = SeededGenerator(seed: 42)
            let pool = SystemRandom.bytes((2 << 20) + 64)
            for _ in 0..<100 {
                // Sizes of all magnitudes from nothing to 1 MiB, their bytes from a random place.
                let messages = (0..<50).map { _ in
                    let size = Int.random(in: 0...(1 << Int.random(in: 0...20, using: &random)), using: &random)
                    let start = Int.random(in: 0...(1 << 20), using: &random)
                    return Array(pool[start..<(start + size)])
                }
                for message in messages { ends.0.send(message) }
                for message in messages {
                    let received = try await readers.1.message()
                    try #require(received == message)
                }
                for message in messages { ends.1.send(message) }
                for message in messages {
                    let received = try await readers.0.message()
                    try #require(received == message)
                }
            }
        }
    }

    @Test func `one message of 20 MiB arrives`() async throws {
        let sinks = (RecordingSink([secret]), RecordingSink([secret]))
        let (one, two) = (try transport(sinks.0, key: 1), try transport(sinks.1, key: 2))
        try await running(one, two) {
            one.dial(try loopback(two), id: 1, secret: secret, version: .newest)
            var readers = (SinkReader(sinks.0), SinkReader(sinks.1))
            let message = SystemRandom.bytes(20 << 20)
            try await readers.0.opened().send(message)
            let received = try await readers.1.message()
            #expect(received == message)
        }
    }

    @Test(arguments: ["127.0.0.1", "::1", "localhost"])
    func `one socket serves both families, and names are looked up`(host: String) async throws {
        let sinks = (RecordingSink([secret]), RecordingSink([secret]))
        let (one, two) = (try transport(sinks.0, key: 1), try transport(sinks.1, key: 2))
        try await running(one, two) {
            one.dial(try loopback(two, host: host), id: 5, secret: secret, version: .newest)
            var readers = (SinkReader(sinks.0), SinkReader(sinks.1))
            let (near, far) = (try await readers.0.opened(), try await readers.1.opened())
            #expect(near.dial == 5)
            #expect(["127.0.0.1", "::1"].contains(far.address.host))
            #expect(near.handshake.handshakeHash == far.handshake.handshakeHash)
        }
    }

    @Test func `another secret ends in a failed dial and leaves no trace at the other side`() async throws {
        let sinks = (RecordingSink([]), RecordingSink([secret]))
        let (one, two) = (try transport(sinks.0, key: 1), try transport(sinks.1, key: 2))
        try await running(one, two) {
            one.dial(try loopback(two), id: 3, secret: try .sample(8), version: .newest)
            var reader = SinkReader(sinks.0)
            let failure = try await reader.dialFailed()
            #expect(failure.dial == 3)
            #expect(failure.reason == "\(CloseReason.endedInHandshake(messagesReceived: 0).dialFailure)")
        }
        #expect(sinks.1.all.isEmpty)
    }

    @Test func `a stranger reads nothing but the end`() async throws {
        let sink = RecordingSink([secret])
        let two = try transport(sink, key: 2)
        try await running(two) {
            let answer = try await Stranger.answer(
                to: Array("SSH-2.0-OpenSSH_9.2p1 0123456789 0123456789\r\n".utf8),
                at: try loopback(two)
            )
            #expect(answer.isEmpty)
        }
        #expect(sink.all.isEmpty)
    }

    @Test func `no more connections than allowed wait half-open, and a member connects meanwhile`() async throws {
        let sink = RecordingSink([secret])
        var limits = TransportLimits()
        limits.doors.burst = 100
        limits.doors[room: .accepted] = .init(count: 2, countPerAddress: 2, milliseconds: 5_000)
        let two = try transport(sink, key: 2, limits: limits)
        try await running(two) {
            let address = try loopback(two)
            // Two event loops accept them: only one that is counted before the next one connects is certainly the oldest.
            let first = try await Stranger.connect(to: address)
            while two.doors.count(in: .accepted) < 1 { await Task.yield() }
            let second = try await Stranger.connect(to: address)
            while two.doors.count(in: .accepted) < 2 { await Task.yield() }
            // For the third the first one is closed.
            let third = try await Stranger.connect(to: address)
            try await first.closeFuture.get()
            #expect(two.doors.count(in: .accepted) == 2 && second.isActive && third.isActive)
            let sinkOne = RecordingSink([secret])
            let one = try transport(sinkOne, key: 1, listen: [])
            try await running(one) {
                one.dial(address, id: 1, secret: secret, version: .newest)
                var reader = SinkReader(sinkOne)
                _ = try await reader.opened()
            }
        }
    }

    @Test func `an address that connects too often is hung up on`() async throws {
        var limits = TransportLimits()
        (limits.doors.burst, limits.doors.refillMilliseconds) = (3, 3_600_000)
        let two = try transport(
            RecordingSink([secret]),
            key: 2,
            limits: limits
        )
        try await running(two) {
            for _ in 0..<3 { _ = try await Stranger.answer(to: [0], at: try loopback(two), hangsUp: true) }
            let sinkOne = RecordingSink([secret])
            let one = try transport(sinkOne, key: 1, listen: [])
            try await running(one) {
                one.dial(try loopback(two), id: 1, secret: secret, version: .newest)
                var reader = SinkReader(sinkOne)
                let outcome = try await reader.dialFailed().dial
                #expect(outcome == 1)
            }
        }
    }

    @Test func `a shutdown says goodbye, and every connection ends once`() async throws {
        let sinks = (RecordingSink([secret]), RecordingSink([secret]))
        let (one, two) = (try transport(sinks.0, key: 1), try transport(sinks.1, key: 2))
        try await running(two) {
            try await running(one) {
                one.dial(try loopback(two), id: 1, secret: secret, version: .newest)
                var readers = (SinkReader(sinks.0), SinkReader(sinks.1))
                _ = (try await readers.0.opened(), try await readers.1.opened())
            }
            var reader = SinkReader(sinks.1)
            let outcome = try await reader.closed()
            #expect(outcome == .peer(.goingAway))
        }
        #expect(sinks.0.closeReasons == [.local(.goingAway)])
        #expect(sinks.1.closeReasons == [.peer(.goingAway)])
    }

    @Test func `a shutdown ends unanswered dials, and waits for none of them`() async throws {
        let sink = RecordingSink([secret])
        var limits = TransportLimits()
        limits.connectTimeout = .hours(1)
        let one = try transport(sink, key: 1, listen: [], limits: limits)
        try await running(one) {
            // Addresses for documentation (RFC 5737): packets to them are lost, or refused on the way.
            for host in 1...8 {
                one.dial(
                    PeerAddress(host: "192.0.2.\(host)", port: 9),
                    id: DialID(host),
                    secret: secret,
                    version: .newest
                )
            }
        }
        #expect(sink.dialFailures.count == 8)
    }

    @Test func `a graceful shutdown of the service ends it`() async throws {
        let sink = RecordingSink([secret])
        let one = try transport(sink, key: 1)
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [one], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            while one.listeningPort == nil { await Task.yield() }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        #expect(one.listeningPort == nil)
        one.dial(PeerAddress(host: "127.0.0.1", port: 9), id: 4, secret: secret, version: .newest)
        #expect(sink.dialFailures == [PeerTransport.stoppedWords])
    }

    @Test func `a closed port, an impossible address and an invalid name fail the dial`()
        async throws
    {
        let sink = RecordingSink([secret])
        let one = try transport(sink, key: 1, listen: [])
        let closed = try #require(ReservedPort())
        try await running(one) {
            one.dial(PeerAddress(host: "127.0.0.1", port: closed.port), id: 1, secret: secret, version: .newest)
            one.dial(
                PeerAddress(host: "fe80::1", port: 9, interfaceIndex: 4_000_000),
                id: 2,
                secret: secret,
                version: .newest
            )
            one.dial(PeerAddress(host: "nobody.invalid", port: 9), id: 3, secret: secret, version: .newest)
            var reader = SinkReader(sink)
            var failed: [DialID: String] = [:]
            for _ in 0..<3 {
                let failure = try await reader.dialFailed()
                #expect(failed.updateValue(failure.reason, forKey: failure.dial) == nil)
            }
            #expect(Set(failed.keys) == [1, 2, 3])
            #expect(failed[1] == "connection refused")
        }
        withExtendedLifetime(closed) {}
        #expect(sink.dialFailures.count == 3)
    }

    @Test func `a dial without an answer within the time of a handshake fails`() async throws {
        let sink = RecordingSink([secret])
        var limits = TransportLimits()
        limits.doors.handshakeMilliseconds = 50
        let one = try transport(sink, key: 1, limits: limits)
        let silent = try await Stranger.listen()
        try await running(one) {
            one.dial(PeerAddress(host: "127.0.0.1", port: silent.port), id: 1, secret: secret, version: .newest)
            var reader = SinkReader(sink)
            let outcome = try await reader.dialFailed().reason
            #expect(outcome == "the handshake took too long")
        }
        try await silent.channel.close()
    }

    @Test func `a port that is in use is reported`() async throws {
        let silent = try await Stranger.listen()
        let one = try transport(RecordingSink([secret]), key: 1, listen: [("127.0.0.1", silent.port)])
        let address = "127.0.0.1:\(silent.port)"
        await #expect(throws: TransportError.cannotListen(address: address, reason: "address already in use")) {
            try await one.run()
        }
        try await silent.channel.close()
        let two = try transport(RecordingSink([secret]), key: 1, listen: [("somewhere", 1)])
        await #expect(throws: TransportError.notAnAddress("somewhere:1")) { try await two.run() }
    }

    @Test func `a receiver that pauses stops the sender, and loses nothing`() async throws {
        let sinks = (RecordingSink([secret]), RecordingSink([secret]))
        let (one, two) = (try transport(sinks.0, key: 1), try transport(sinks.1, key: 2))
        try await running(one, two) {
            one.dial(try loopback(two), id: 1, secret: secret, version: .newest)
            var readers = (SinkReader(sinks.0), SinkReader(sinks.1))
            let (near, far) = (try await readers.0.opened(), try await readers.1.opened())
            sinks.1.takesMore = false
            // 60 MiB: more than all sockets on the way hold, and less than the limit of waiting messages.
            let message = SystemRandom.bytes(1 << 20)
            for _ in 0..<60 { near.send(message) }
            for number in 0..<60 {
                let received = try await readers.1.message()
                #expect(received == message, "message \(number)")
                far.resumeReading()
            }
        }
    }

    @Test func `a receiver that never reads on is given up by the sender`() async throws {
        let sinks = (RecordingSink([secret]), RecordingSink([secret]))
        var limits = TransportLimits()
        limits.waitingByteCountMax = 4 << 20
        let (one, two) = (try transport(sinks.0, key: 1, limits: limits), try transport(sinks.1, key: 2))
        try await running(one, two) {
            one.dial(try loopback(two), id: 1, secret: secret, version: .newest)
            var readers = (SinkReader(sinks.0), SinkReader(sinks.1))
            let (near, _) = (try await readers.0.opened(), try await readers.1.opened())
            sinks.1.takesMore = false
            for _ in 0..<64 { near.send([UInt8](repeating: 1, count: 1 << 20)) }
            let outcome = try await readers.0.closed()
            #expect(outcome == .local(.busy))
        }
    }

    @Test func `a port that is not configured is replaced if it is in use`() async throws {
        let taken = try #require(ReservedPort())
        let one = PeerTransport(
            listen: [("127.0.0.1", taken.port)],
            takesOtherPort: true,
            identity: ChannelIdentity(try AgreementKey(bytes: [UInt8](repeating: 1, count: 32))),
            agreement: .hybrid(MLKEM768Encapsulation()),
            sink: RecordingSink([secret]),
            logger: logger
        )
        try await running(one) {
            let port = try #require(one.listeningPort)
            #expect(port != taken.port && port != 0)
        }
    }
}
