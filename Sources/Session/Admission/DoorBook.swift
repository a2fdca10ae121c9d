import Wire

/// Accounts for every incoming connection: its ``DoorRoom``, and how long it may stay there.
///
/// A value without a clock: the time comes in as milliseconds of any clock that only goes forward; a step back is
/// treated as no time. `Address` is something that an attacker finds hard to have many of: an IPv4 address, or the
/// first 64 bits of an IPv6 one. The driver acts on the answers: it closes connections that are refused or give up
/// their place, sets a timer, and bounds messages.
///
/// A connection whose handshake is not finished *yields*: where a room or an address has no place left, the longest
/// waiting such connection there is closed for a new one. A peer that knows a secret answers within a round trip, so
/// a flood of silent connections takes no place for longer than it takes to make as many others. A connection that
/// has proved a secret keeps its place until its time is over.
package struct DoorBook<Address: Hashable & Sendable>: Sendable {
    /// One connection in the book.
    package struct Pass: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    /// The limits of a connection in its room.
    package struct Terms: Hashable, Sendable {
        /// The room.
        package var room: DoorRoom
        /// The time by which it must have left the room, in milliseconds of the book's clock; `nil` = when a session
        /// reaches its greatest age.
        package var deadline: UInt64?
        /// The longest message that is accepted.
        package var messageByteCountMax: Int
        /// Whether a longer one is dropped rather than a violation.
        package var dropsLongerMessages: Bool
    }

    /// The outcome for a new connection.
    package enum Arrival: Hashable, Sendable {
        /// It is in the book; the caller owes one ``DoorBook/ended(_:)`` for the pass. The other connection, if any,
        /// is to be closed.
        case taken(Pass, Terms, yields: Pass?)
        /// It is to be closed without an answer.
        case refused(DoorRefusal)
    }

    /// The outcome for a connection that is to move to another room.
    package enum Move: Hashable, Sendable {
        /// It has moved. The other connection, if any, is to be closed.
        case moved(Terms, yields: Pass?)
        /// It is to be closed; the caller still owes ``DoorBook/ended(_:)``.
        case refused(DoorRefusal)
    }

    private enum Owner: Hashable, Sendable {
        /// The other side made the connection, from this address.
        case other(Address)
        /// This side made the connection: it has limits, and takes no place of incoming ones.
        case own
        /// Its place was given to another connection; it is being closed.
        case none
    }

    private struct Place: Sendable {
        var owner: Owner
        var room: DoorRoom
        /// The time by which it must have left the room; at first, the time by which the handshake must be finished.
        var deadline: UInt64?
        /// The time at which the connection came in.
        var arrivedAt: UInt64
        /// Whether the handshake is finished.
        var isProven = false

        var address: Address? {
            if case .other(let address) = owner { address } else { nil }
        }
    }

    private enum Key: Hashable, Sendable {
        case address(Address)
        /// All addresses for which there is no room.
        case others
    }

    private struct Bucket: Sendable {
        /// Milliseconds of refill saved up, at most ``DoorLimits/burst`` refills.
        var credit: UInt64
        var updatedAt: UInt64
    }

    /// Whether a room has a place.
    private enum Vacancy {
        case free
        /// The place of a connection that has to be closed for it.
        case yielded(Pass)
        case none(DoorRefusal)
    }

    private struct Seat: Hashable, Sendable {
        let room: DoorRoom
        let address: Address
    }

    /// The numbers.
    package let limits: DoorLimits
    private var places: [UInt64: Place] = [:]
    private var counts: [DoorRoom: Int] = [:]
    private var addressCounts: [Seat: Int] = [:]
    private var buckets: [Key: Bucket] = [:]
    private var lastPurgeAt: UInt64 = 0
    private var lastNumber: UInt64 = 0

    /// An empty book.
    /// - Parameter limits: The numbers.
    package init(limits: DoorLimits = DoorLimits()) {
        precondition(limits.burst > 0 && limits.refillMilliseconds > 0, "limits of nothing let nobody in")
        precondition(limits.addressCountMax > 0, "limits of nothing let nobody in")
        self.limits = limits
    }

    /// Returns the number of incoming connections in a room.
    package func count(in room: DoorRoom) -> Int { counts[room] ?? 0 }

    /// Returns the number of incoming connections in a room from one address.
    package func count(in room: DoorRoom, from address: Address) -> Int {
        addressCounts[Seat(room: room, address: address)] ?? 0
    }

    /// The number of connections in the book, own ones included.
    package var connectionCount: Int { places.count }

    /// The number of addresses remembered.
    package var addressCount: Int { buckets.count }

    // MARK: Facts

    /// Takes in a new connection.
    /// - Parameters:
    ///   - address: The address that it comes from.
    ///   - now: The time in milliseconds.
    /// - Returns: The outcome.
    /// - Complexity: O(1); O(places of the room) when it is full; O(addresses) at most once in a refill time, when their table is full.
    package mutating func connected(from address: Address, now: UInt64) -> Arrival {
        guard spend(address, now: now) else { return .refused(.tooOften) }
        var yielding: Pass?
        switch makePlace(in: .accepted, for: address) {
        case .free: break
        case .yielded(let other): yielding = other
        case .none(let refusal): return .refused(refusal)
        }
        let deadline = now.addingClamped(limits.handshakeMilliseconds)
        let pass = insert(Place(owner: .other(address), room: .accepted, deadline: deadline, arrivedAt: now))
        return .taken(pass, terms(of: .accepted, deadline: deadline), yields: yielding)
    }

    /// This side made a connection: it has the limits of a room and takes none of its places.
    /// - Parameters:
    ///   - room: The room of the secret that it was made under.
    ///   - now: The time in milliseconds.
    /// - Returns: The pass, for which ``ended(_:)`` is owed, and the terms of the handshake.
    package mutating func dialled(under room: DoorRoom, now: UInt64) -> (Pass, Terms) {
        let deadline = now.addingClamped(limits.handshakeMilliseconds)
        let pass = insert(Place(owner: .own, room: room, deadline: deadline, arrivedAt: now))
        return (pass, terms(of: room, deadline: deadline))
    }

    /// Moves a connection whose preamble fits a secret out of the room of unknown connections.
    /// - Parameters:
    ///   - pass: The connection.
    ///   - room: The room of the secret.
    ///   - now: The time in milliseconds.
    /// - Returns: Whether it has a place there; its deadline stays that of the handshake.
    package mutating func knocked(_ pass: Pass, at room: DoorRoom, now: UInt64) -> Move {
        guard let place = places[pass.number], !place.isProven else { return .refused(.full) }
        return move(pass, to: room, deadline: place.deadline)
    }

    /// A connection's handshake is finished: its place is its own from now on.
    /// - Parameters:
    ///   - pass: The connection.
    ///   - now: The time in milliseconds.
    /// - Returns: The terms of the room that it is in; `nil` for a connection that has lost its place, and is to be closed.
    package mutating func proved(_ pass: Pass, now: UInt64) -> Terms? {
        guard var place = places[pass.number], place.owner != .none, place.room != .accepted else { return nil }
        if !place.isProven {
            place.isProven = true
            place.deadline = deadline(of: place.room, now: now)
            places[pass.number] = place
        }
        return terms(of: place.room, deadline: place.deadline)
    }

    /// Moves a connection once the identity of the other side is decided.
    /// - Parameters:
    ///   - pass: The connection.
    ///   - room: The room in which it is from now on. Time already spent in the same room counts as spent.
    ///   - now: The time in milliseconds.
    /// - Returns: Whether it has a place there.
    package mutating func identified(_ pass: Pass, in room: DoorRoom, now: UInt64) -> Move {
        guard let place = places[pass.number], place.isProven else { return .refused(.full) }
        return move(pass, to: room, deadline: place.room == room ? place.deadline : deadline(of: room, now: now))
    }

    /// A connection ended.
    /// - Parameter pass: The connection.
    package mutating func ended(_ pass: Pass) {
        guard let place = places.removeValue(forKey: pass.number) else {
            assertionFailure("a pass was given back twice")
            return
        }
        leave(place)
    }

    // MARK: Places

    private mutating func insert(_ place: Place) -> Pass {
        lastNumber &+= 1
        places[lastNumber] = place
        take(place)
        return Pass(number: lastNumber)
    }

    private mutating func move(_ pass: Pass, to room: DoorRoom, deadline: UInt64?) -> Move {
        guard var place = places[pass.number], place.owner != .none else { return .refused(.full) }
        var yielding: Pass?
        if place.room != room {
            if let address = place.address {
                switch makePlace(in: room, for: address) {
                case .free: break
                case .yielded(let other): yielding = other
                case .none(let refusal): return .refused(refusal)
                }
            }
            leave(place)
            place.room = room
            take(place)
        }
        place.deadline = deadline
        places[pass.number] = place
        return .moved(terms(of: room, deadline: deadline), yields: yielding)
    }

    /// Finds a place in a room.
    private mutating func makePlace(in room: DoorRoom, for address: Address) -> Vacancy {
        let row = limits[room: room]
        if count(in: room, from: address) >= row.countPerAddress {
            return yieldPlace(in: room, of: address).map(Vacancy.yielded) ?? .none(.tooManyFromAddress)
        }
        if count(in: room) >= row.count {
            return yieldPlace(in: room, of: nil).map(Vacancy.yielded) ?? .none(.full)
        }
        return .free
    }

    /// Frees the place of the connection that has waited longest for the end of its handshake.
    private mutating func yieldPlace(in room: DoorRoom, of address: Address?) -> Pass? {
        let oldest = places.lazy.filter { _, place in
            guard place.room == room, !place.isProven, let own = place.address else { return false }
            return address == nil || own == address
        }.min { ($0.value.arrivedAt, $0.key) < ($1.value.arrivedAt, $1.key) }
        guard let oldest else { return nil }
        leave(oldest.value)
        // Closing it takes a moment; until then it has no place.
        places[oldest.key]?.owner = .none
        return Pass(number: oldest.key)
    }

    private mutating func take(_ place: Place) {
        guard let address = place.address else { return }
        counts[place.room, default: 0] += 1
        addressCounts[Seat(room: place.room, address: address), default: 0] += 1
    }

    private mutating func leave(_ place: Place) {
        guard let address = place.address else { return }
        let seat = Seat(room: place.room, address: address)
        counts[place.room] = count(in: place.room) - 1
        let left = (addressCounts[seat] ?? 1) - 1
        addressCounts[seat] = left > 0 ? left : nil
    }

    private func deadline(of room: DoorRoom, now: UInt64) -> UInt64? {
        limits[room: room].milliseconds.map { now.addingClamped($0) }
    }

    private func terms(of room: DoorRoom, deadline: UInt64?) -> Terms {
        let row = limits[room: room]
        return Terms(
            room: room,
            deadline: deadline,
            messageByteCountMax: row.messageByteCountMax,
            dropsLongerMessages: row.dropsLongerMessages
        )
    }

    // MARK: How often

    private var fullCredit: UInt64 {
        UInt64(limits.burst).multipliedReportingOverflow(by: limits.refillMilliseconds).partialValue
    }

    /// Takes one connection from the budget of an address.
    private mutating func spend(_ address: Address, now: UInt64) -> Bool {
        let key = key(for: address, now: now)
        var bucket = refilled(buckets[key] ?? Bucket(credit: fullCredit, updatedAt: now), now: now)
        defer { buckets[key] = bucket }
        guard bucket.credit >= limits.refillMilliseconds else { return false }
        bucket.credit -= limits.refillMilliseconds
        return true
    }

    private func refilled(_ bucket: Bucket, now: UInt64) -> Bucket {
        var bucket = bucket
        let elapsed = now > bucket.updatedAt ? now - bucket.updatedAt : 0
        bucket.credit = min(bucket.credit.addingClamped(elapsed), fullCredit)
        bucket.updatedAt = max(now, bucket.updatedAt)
        return bucket
    }

    /// The bucket of an address.
    ///
    /// When the table is full, addresses that have been quiet long enough are forgotten first.
    private mutating func key(for address: Address, now: UInt64) -> Key {
        let own = Key.address(address)
        if buckets[own] != nil || buckets.count < limits.addressCountMax { return own }
        let mayPurge = now < lastPurgeAt || now - lastPurgeAt >= limits.refillMilliseconds
        if mayPurge {
            lastPurgeAt = now
            buckets = buckets.filter { _, bucket in refilled(bucket, now: now).credit < fullCredit }
        }
        return buckets.count < limits.addressCountMax ? own : .others
    }
}

/// Why a connection is closed at the door.
package enum DoorRefusal: Hashable, Sendable {
    /// The room has no place left.
    case full
    /// The address has no place left in the room.
    case tooManyFromAddress
    /// The address connects too often.
    case tooOften
}

extension UInt64 {
    fileprivate func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
