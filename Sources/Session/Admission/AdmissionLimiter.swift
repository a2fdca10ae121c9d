/// Decides which incoming connections get as far as a handshake: a bound on half-open ones, in all and by address, and a
/// token bucket for each address.
///
/// A value without a clock: the time comes in as milliseconds of any clock that only goes forward; a step back counts as
/// no time. `Address` is what an attacker finds hard to have many of: an IPv4 address, or the first 64 bits of an IPv6 one.
package struct AdmissionLimiter<Address: Hashable & Sendable>: Sendable {
    /// The limits.
    package struct Configuration: Hashable, Sendable {
        /// Connections that have not finished their handshake, in all.
        package var halfOpenMax: Int
        /// The same from one address.
        package var halfOpenPerAddressMax: Int
        /// How many connections an address may make at once after a rest.
        package var burst: Int
        /// After how many milliseconds an address may make one more.
        package var refillMilliseconds: UInt64
        /// Addresses that are remembered.
        ///
        /// Further ones share one bucket.
        package var addressCountMax: Int

        /// Limits.
        /// - Parameters:
        ///   - halfOpenMax: Half-open connections in all; at least 1.
        ///   - halfOpenPerAddressMax: Half-open connections from one address; at least 1.
        ///   - burst: Connections at once after a rest; at least 1.
        ///   - refillMilliseconds: The time for one more; at least 1.
        ///   - addressCountMax: Addresses remembered; at least 1.
        package init(
            halfOpenMax: Int = 64,
            halfOpenPerAddressMax: Int = 8,
            burst: Int = 20,
            refillMilliseconds: UInt64 = 500,
            addressCountMax: Int = 1_024
        ) {
            precondition(halfOpenMax > 0 && halfOpenPerAddressMax > 0 && burst > 0, "limits of nothing let nobody in")
            precondition(refillMilliseconds > 0 && addressCountMax > 0, "limits of nothing let nobody in")
            self.halfOpenMax = halfOpenMax
            self.halfOpenPerAddressMax = halfOpenPerAddressMax
            self.burst = burst
            self.refillMilliseconds = refillMilliseconds
            self.addressCountMax = addressCountMax
        }
    }

    /// Whether a connection may go on.
    package enum Decision: Hashable, Sendable {
        /// It may. ``AdmissionLimiter/finished(_:)`` is owed for the ticket, once.
        case admitted(Ticket)
        /// There are too many half-open connections.
        case tooManyHalfOpen
        /// There are too many half-open connections from this address.
        case tooManyFromAddress
        /// This address connects too often.
        case tooOften
    }

    /// The right to one half-open connection.
    package struct Ticket: Hashable, Sendable {
        fileprivate let key: Key
    }

    fileprivate enum Key: Hashable, Sendable {
        case address(Address)
        /// All addresses for which there is no room.
        case others
    }

    private struct Bucket: Sendable {
        /// Milliseconds of refill saved up, at most ``Configuration/burst`` refills.
        var credit: UInt64
        var updatedAt: UInt64
        var halfOpen = 0
    }

    private let configuration: Configuration
    private var buckets: [Key: Bucket] = [:]
    private var lastPurgeAt: UInt64 = 0

    /// How many admitted connections have not finished their handshake.
    package private(set) var halfOpenCount = 0

    /// A limiter that has seen nobody yet.
    /// - Parameter configuration: The limits.
    package init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// How many addresses are remembered.
    package var addressCount: Int {
        buckets.count
    }

    /// A connection came in.
    /// - Parameters:
    ///   - address: Where from.
    ///   - now: The time in milliseconds.
    /// - Returns: What to do with it. Attempts that are refused for a half-open bound cost the address nothing.
    /// - Complexity: O(1); O(addresses) at most once in a refill time, when the table is full.
    package mutating func connected(from address: Address, now: UInt64) -> Decision {
        guard halfOpenCount < configuration.halfOpenMax else { return .tooManyHalfOpen }
        let key = key(for: address, now: now)
        var bucket = refilled(buckets[key] ?? Bucket(credit: fullCredit, updatedAt: now), now: now)
        defer { buckets[key] = bucket }
        guard bucket.halfOpen < configuration.halfOpenPerAddressMax else { return .tooManyFromAddress }
        guard bucket.credit >= configuration.refillMilliseconds else { return .tooOften }
        bucket.credit -= configuration.refillMilliseconds
        bucket.halfOpen += 1
        halfOpenCount += 1
        return .admitted(Ticket(key: key))
    }

    /// A connection finished its handshake, or ended.
    /// - Parameter ticket: What ``connected(from:now:)`` gave for it.
    package mutating func finished(_ ticket: Ticket) {
        guard var bucket = buckets[ticket.key], bucket.halfOpen > 0 else {
            assertionFailure("a ticket was given back twice")
            return
        }
        bucket.halfOpen -= 1
        halfOpenCount -= 1
        buckets[ticket.key] = bucket
    }

    private var fullCredit: UInt64 {
        UInt64(configuration.burst).multipliedReportingOverflow(by: configuration.refillMilliseconds).partialValue
    }

    private func refilled(_ bucket: Bucket, now: UInt64) -> Bucket {
        var bucket = bucket
        let elapsed = now > bucket.updatedAt ? now - bucket.updatedAt : 0
        let (credit, overflow) = bucket.credit.addingReportingOverflow(elapsed)
        bucket.credit = overflow ? fullCredit : min(credit, fullCredit)
        bucket.updatedAt = max(now, bucket.updatedAt)
        return bucket
    }

    /// The bucket of an address.
    ///
    /// When the table is full, addresses that have been quiet long enough are forgotten first.
    private mutating func key(for address: Address, now: UInt64) -> Key {
        let own = Key.address(address)
        if buckets[own] != nil || buckets.count < configuration.addressCountMax { return own }
        let mayPurge = now < lastPurgeAt || now - lastPurgeAt >= configuration.refillMilliseconds
        if mayPurge {
            lastPurgeAt = now
            buckets = buckets.filter { _, bucket in
                bucket.halfOpen > 0 || refilled(bucket, now: now).credit < fullCredit
            }
        }
        return buckets.count < configuration.addressCountMax ? own : .others
    }
}
