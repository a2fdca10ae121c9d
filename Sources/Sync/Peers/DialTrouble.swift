package import Wire

/// The cause for which a dial ends without a channel.
package enum DialObstacle: Hashable, Sendable {
    /// No answer comes in time.
    case silence
    /// The machine answers that nothing listens there.
    case refused
    /// No way leads there; the words are the system's.
    case noRoute(String)
    /// The other side accepts the connection, and closes it without a message.
    case ignored
    /// Another cause, in words for people.
    case other(String)
}

/// The dials to one candidate that have led nowhere since it was last reached.
package struct DialTrouble: Hashable, Sendable {
    /// The cause that the last one met.
    package private(set) var obstacle: DialObstacle
    /// The time at which the first one ended, in milliseconds of the monotonic clock.
    package let since: UInt64
    /// The number of failed dials.
    package private(set) var count: Int

    /// The first one.
    init(_ obstacle: DialObstacle, at now: UInt64) { (self.obstacle, since, count) = (obstacle, now, 1) }

    /// One more.
    mutating func add(_ obstacle: DialObstacle) {
        self.obstacle = obstacle
        count += 1
    }
}

/// An instance in sight that was dialled at all its addresses, and reached at none.
package struct TroubledInstance<Address: Hashable & Sendable>: Hashable, Sendable {
    /// The mDNS instance.
    package let name: String
    /// Its device, where an earlier session has shown that.
    package let device: DeviceID?
    /// The address that is dialled next.
    package let address: Address
    /// The dials that led nowhere.
    package let trouble: DialTrouble

    /// Names an instance.
    package init(name: String, device: DeviceID?, address: Address, trouble: DialTrouble) {
        (self.name, self.device, self.address, self.trouble) = (name, device, address, trouble)
    }
}
