import Session
import struct Simulator.StandInEncapsulation
import Sodium
import TestSupport
import Testing
import Wire

/// The version that two sides agree on, and the attempts to change it.
@Suite struct ChannelVersionTests {
    private static let old = ChannelAgreement.classical
    private static let new = ChannelPair.hybrid

    private func flight(_ pair: ChannelPair) -> [UInt8] {
        var events: [ChannelEvent] = []
        pair.initiator.start(into: &events)
        return events.sentBytes
    }

    @Test func `the responder answers in the version it is addressed in`() throws {
        for version in ChannelVersion.allCases {
            let pair = try ChannelPair(version: version)
            pair.connect()
            let (first, second) = try #require(pair.established)
            #expect(first.version == version && second.version == version)
            #expect(first.version.isPostQuantum == (version == .hybrid))
        }
    }

    @Test func `the highest version that both speak is used by default`() throws {
        let pair = try ChannelPair()
        pair.connect()
        #expect(try #require(pair.established).0.version == .newest)
    }

    @Test func `a side that knows only the first version silently ignores the second`() throws {
        let pair = try ChannelPair(agreements: (Self.new, Self.old))
        pair.connect()
        #expect(pair.responderEvents == [.ignore])
    }

    @Test func `both sides learn the other's versions, and an old program states none`() throws {
        let cases: [(ChannelAgreement, ChannelAgreement, ChannelVersion, ChannelVersion, ChannelVersion)] = [
            (Self.new, Self.new, .hybrid, .hybrid, .hybrid), (Self.new, Self.new, .classical, .hybrid, .hybrid),
            (Self.new, Self.old, .classical, .classical, .hybrid),
            (Self.old, Self.new, .classical, .hybrid, .classical),
            (Self.old, Self.old, .classical, .classical, .classical),
        ]
        for (initiator, responder, version, initiatorHears, responderHears) in cases {
            let pair = try ChannelPair(agreements: (initiator, responder), version: version)
            pair.connect()
            let (first, second) = try #require(pair.established)
            #expect(first.version == version && second.version == version)
            #expect(first.remoteNewest == initiatorHears)
            #expect(second.remoteNewest == responderHears)
        }
    }

    @Test
    func `the accepting side learns which messages the other side knows, in each version of the channel`()
        throws
    {
        for (first, second) in [(Self.new, Self.new), (Self.old, Self.new), (Self.old, Self.old)] {
            for revision in [UInt8(0), 1, 255] {
                let configuration = ChannelConfiguration(messageRevision: revision)
                let pair = try ChannelPair(configuration: configuration, agreements: (first, second))
                pair.connect()
                let (initiator, responder) = try #require(pair.established)
                #expect(responder.remoteRevision == revision)
                #expect(initiator.remoteRevision == 0, "there is no room for it")
                #expect(responder.remoteNewest == first.newest)
            }
        }
    }

    @Test func `an unknown version is ignored`() throws {
        for version in [UInt8(0), 3, 255] {
            let pair = try ChannelPair()
            var flight = flight(pair)
            flight[4] = version
            pair.deliverToResponder(flight)
            #expect(pair.responderEvents == [.ignore])
        }
    }

    @Test func `a preamble whose version was swapped is ignored, since the tag is over it`() throws {
        for version in ChannelVersion.allCases {
            let pair = try ChannelPair(version: version)
            var flight = flight(pair)
            flight[4] = 3 - flight[4]
            pair.deliverToResponder(flight)
            #expect(pair.responderEvents == [.ignore])
        }
    }

    @Test func `the message of one version behind the preamble of the other is refused`() throws {
        // The same randomness up to the version: nonce and ephemeral key are the same.
        let flights = try ChannelVersion.allCases.map { flight(try ChannelPair(version: $0)) }
        for (preamble, message) in [(flights[0], flights[1]), (flights[1], flights[0])] {
            let pair = try ChannelPair()
            pair.deliverToResponder(Array(preamble.prefix(37)) + Array(message.dropFirst(37)))
            #expect(pair.responderEvents == [.closed(.handshakeFailed)])
        }
    }

    @Test func `the first flight has one size in each version, and only the version tells them apart`() throws {
        for (version, count) in [(ChannelVersion.classical, 37 + 2 + 48), (.hybrid, 37 + 2 + 32 + 1_280 + 16)] {
            for payload in [0, 1_000, ChannelLimits.payloadByteCountMax] {
                let pair = try ChannelPair(payloads: ([UInt8](repeating: 1, count: payload), []), version: version)
                let flight = flight(pair)
                #expect(flight.count == count && flight[4] == version.rawValue)
            }
        }
    }

    @Test func `the longest messages of the second version are within the limits of the first`() throws {
        let payload = [UInt8](repeating: 1, count: ChannelLimits.payloadByteCountMax)
        let pair = try ChannelPair(payloads: (payload, payload))
        pair.deliverToResponder(flight(pair))
        let answer = pair.responderEvents.sentBytes
        #expect(Int(answer[0]) << 8 | Int(answer[1]) == answer.count - 2)
        #expect(answer.count == 2 + 32 + 48 + 9_472 + 16)
        #expect(answer.count - 2 <= ChannelLimits.handshakeMessageByteCountMax)
    }
}
