import Sodium
import TestSupport
import Testing

@testable import Identity

@Suite struct PairingOfferTests {
    private func offer(at milliseconds: UInt64 = 1_000) -> PairingOffer {
        var generator = SeededGenerator(seed: 21)
        return PairingOffer(ticket: PairingTicket(using: &generator), at: milliseconds)
    }

    @Test func `an open offer takes an attempt and is redeemed`() {
        var offer = offer()
        #expect(offer.attemptBegan(at: 1_001) == .accepted)
        #expect(offer.redeem(at: 1_002) == .accepted)
    }

    @Test func `a used ticket is refused`() {
        var offer = offer()
        #expect(offer.redeem(at: 1_000) == .accepted)
        #expect(offer.redeem(at: 1_000) == .used)
        #expect(offer.attemptBegan(at: 1_000) == .used)
        #expect(offer.remaining(at: 1_000) == 0)
        #expect(offer.attemptsLeft == 0)
    }

    @Test func `of two handshakes at once only the first is accepted`() {
        var offer = offer()
        #expect(offer.attemptBegan(at: 1_001) == .accepted)
        #expect(offer.attemptBegan(at: 1_001) == .accepted)
        #expect(offer.redeem(at: 1_002) == .accepted)
        #expect(offer.redeem(at: 1_002) == .used)
    }

    @Test func `the sixth attempt is refused and the fifth may still finish`() {
        var offer = offer()
        for _ in 0..<5 {
            #expect(offer.attemptBegan(at: 2_000) == .accepted)
        }
        #expect(offer.attemptBegan(at: 2_000) == .tooManyAttempts)
        #expect(offer.attemptsLeft == 0)
        #expect(offer.redeem(at: 2_000) == .accepted)
    }

    @Test func `handshakes under one ticket are bounded, apart from devices that ask`() {
        var offer = offer()
        for _ in 0..<64 {
            #expect(offer.handshakeFinished(at: 2_000) == .accepted)
        }
        #expect(offer.attemptsLeft == 5)
        #expect(offer.handshakeFinished(at: 2_000) == .tooManyAttempts)
        #expect(offer.redeem(at: 2_000) == .accepted)
        #expect(offer.handshakeFinished(at: 2_000) == .used)
        var late = self.offer()
        #expect(late.handshakeFinished(at: 601_000) == .expired)
    }

    @Test func `ten minutes later the ticket has expired`() {
        var last = offer()
        #expect(last.remaining(at: 1_000) == 600_000)
        #expect(last.attemptBegan(at: 600_999) == .accepted)
        #expect(last.remaining(at: 600_999) == 1)
        var late = offer()
        #expect(late.attemptBegan(at: 601_000) == .expired)
        #expect(late.redeem(at: 601_000) == .expired)
        #expect(late.remaining(at: 601_000) == 0)
    }

    @Test func `a clock that is turned back does not prolong an offer`() {
        var offer = offer()
        #expect(offer.attemptBegan(at: 700_000) == .expired)
        #expect(offer.redeem(at: 5_000) == .expired)
        #expect(offer.remaining(at: 0) == 0)
    }

    @Test func `a withdrawn offer is used`() {
        var offer = offer()
        offer.withdraw()
        #expect(offer.attemptBegan(at: 1_000) == .used)
        #expect(offer.redeem(at: 1_000) == .used)
    }

    @Test func `the end of time does not trap`() {
        var offer = offer(at: .max)
        #expect(offer.attemptBegan(at: 0) == .accepted)
        #expect(offer.remaining(at: .max) == 600_000)
    }
}
