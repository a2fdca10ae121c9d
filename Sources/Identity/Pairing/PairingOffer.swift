import Wire

/// A device's standing offer to let one other device join: a ticket, its lifetime, and its uses so far.
///
/// | state | a handshake is finished | an attempt begins | the ticket is redeemed |
/// |---|---|---|---|
/// | open | `accepted`, one handshake fewer | `accepted`, one attempt fewer | `accepted`, then used |
/// | open, time over | `expired` | `expired` | `expired` |
/// | open, all handshakes finished | `tooManyAttempts` | `accepted`, one attempt fewer | `accepted`, then used |
/// | open, all attempts begun | as above | `tooManyAttempts` | `accepted`, then used |
/// | used | `used` | `used` | `used` |
///
/// A handshake is counted when it is finished, since only its end shows that the other side knows the ticket now: an
/// onlooker that replays the beginning of one uses nothing up. There are more handshakes than attempts, since a
/// searching device calls each address that it sees, and one device has several. An attempt is a device that asks to
/// be admitted. It is counted when it begins, so that many at once cannot get past the limit. Redeeming is the moment
/// at which the peer has proved the ticket *and* is admitted; of two concurrent handshakes only the first succeeds.
/// The last attempt may still be redeemed after it has been counted.
///
/// Times are milliseconds of any clock, preferably one that never goes backwards; one that does cannot prolong an
/// offer, because the latest time seen is kept.
package struct PairingOffer: Sendable {
    /// The offer's answer to an attempt.
    package enum Outcome: Equatable, Sendable {
        /// The attempt may go on.
        case accepted
        /// The ten minutes are over.
        case expired
        /// A device has joined with this ticket already, or the offer was withdrawn.
        case used
        /// Five devices have asked, or 64 handshakes were finished.
        case tooManyAttempts
    }

    /// The lifetime of a ticket, in milliseconds: ten minutes, the time to walk to another machine and type.
    package static let lifetimeMilliseconds: UInt64 = 600_000

    /// The number of devices that may ask: enough for typing mistakes and a lost connection, far too few to guess 128
    /// bits.
    package static let attemptCountMax = 5

    /// The number of handshakes that may be finished: a device calls up to sixteen addresses at once, and again after
    /// five seconds.
    package static let handshakeCountMax = 64

    /// The ticket on offer.
    package let ticket: PairingTicket

    private let madeAt: UInt64
    private var latest: UInt64
    private var attemptCount = 0
    private var handshakeCount = 0
    private var isUsed = false

    /// Puts a ticket on offer.
    /// - Parameters:
    ///   - ticket: A new ticket.
    ///   - milliseconds: The time now.
    package init(ticket: PairingTicket, at milliseconds: UInt64) {
        self.ticket = ticket
        madeAt = milliseconds
        latest = milliseconds
    }

    /// A handshake with this ticket is finished.
    /// - Parameter milliseconds: The time now.
    /// - Returns: Whether the offer stands; counted if so.
    package mutating func handshakeFinished(at milliseconds: UInt64) -> Outcome {
        if isUsed { return .used }
        if isOver(at: milliseconds) { return .expired }
        guard handshakeCount < Self.handshakeCountMax else { return .tooManyAttempts }
        handshakeCount += 1
        return .accepted
    }

    /// Begins the attempt of a device that knows this ticket and asks to be added.
    /// - Parameter milliseconds: The time now.
    /// - Returns: Whether it may go on; counted if so.
    package mutating func attemptBegan(at milliseconds: UInt64) -> Outcome {
        if isUsed { return .used }
        if isOver(at: milliseconds) { return .expired }
        guard attemptCount < Self.attemptCountMax else { return .tooManyAttempts }
        attemptCount += 1
        return .accepted
    }

    /// Redeems the ticket for a peer that has proved that it knows it and asks to be added.
    /// - Parameter milliseconds: The time now.
    /// - Returns: `accepted` at most once in an offer's life.
    package mutating func redeem(at milliseconds: UInt64) -> Outcome {
        if isUsed { return .used }
        if isOver(at: milliseconds) { return .expired }
        isUsed = true
        return .accepted
    }

    /// The person does not want to pair any more.
    package mutating func withdraw() {
        isUsed = true
    }

    /// Returns the remaining lifetime of the ticket.
    /// - Parameter milliseconds: The time now.
    /// - Returns: Milliseconds; 0 once it is used or expired.
    package func remaining(at milliseconds: UInt64) -> UInt64 {
        let elapsed = max(latest, milliseconds) - madeAt
        return isUsed || elapsed >= Self.lifetimeMilliseconds ? 0 : Self.lifetimeMilliseconds - elapsed
    }

    /// The number of devices that may still ask.
    package var attemptsLeft: Int { isUsed ? 0 : Self.attemptCountMax - attemptCount }

    /// Never earlier than the offer itself, so the difference does not underflow.
    private mutating func isOver(at milliseconds: UInt64) -> Bool {
        latest = max(latest, milliseconds)
        return latest - madeAt >= Self.lifetimeMilliseconds
    }
}
