package import Session
package import Wire

/// A call that a driver is to make.
package struct PeerDial<Address: Hashable & Sendable>: Sendable {
    /// Its number.
    package let id: UInt64
    /// The address.
    package let address: Address
    /// The secret that the other side must know too.
    package let secret: ChannelSecret
    /// The version of the channel.
    package let version: ChannelVersion
}

/// The dials under secrets of their own, by which this device looks for one at an unknown address: for a ticket, a token or the recovery
/// words, or about an invitation.
struct AddressSearch<Address: Hashable & Sendable>: Sendable {
    /// The search for a device that admits this one.
    struct Admission: Sendable {
        /// The secret under which this device calls.
        let secret: ChannelSecret
        /// The time at which each address was last tried, by the monotonic clock.
        var tried: [Address: UInt64] = [:]
        /// The time at which the next address is to be tried again.
        var nextDue: UInt64?
    }

    /// Dials that may be under way for all searches.
    static var dialCountMax: Int { 16 }
    /// Addresses that are tried.
    static var addressCountMax: Int { 256 }
    /// The time after which a search for admission tries an address again, in milliseconds.
    static var retryMilliseconds: UInt64 { 5_000 }

    /// The search for a device that admits this one.
    var admission: Admission?
    /// Dials to make again, in the first version of the channel.
    private var repeated: [(Address, ChannelSecret)] = []
    private var dials: [UInt64: PeerDial<Address>] = [:]

    /// The number of dials that may begin.
    var room: Int { max(0, Self.dialCountMax - dials.count) }

    /// Begins a dial.
    mutating func begin(_ dial: PeerDial<Address>) {
        assert(dials[dial.id] == nil, "the number of a dial is used once")
        dials[dial.id] = dial
    }

    /// Ends a dial that led to a channel.
    /// - Parameter dial: The number of a dial; `nil` for a channel that the other side made.
    /// - Returns: Whether it was one of a search.
    mutating func connected(_ dial: UInt64?) -> Bool { dial.flatMap { dials.removeValue(forKey: $0) } != nil }

    /// Ends a dial that led nowhere.
    /// - Parameters:
    ///   - dial: The number of a dial.
    ///   - isIgnored: Whether the other side closed the connection without a message.
    /// - Returns: Whether it was one of a search.
    mutating func failed(_ dial: UInt64, isIgnored: Bool) -> Bool {
        guard let ended = dials.removeValue(forKey: dial) else { return false }
        // The device there may know the first version only.
        if isIgnored, ended.version > .classical { repeated.append((ended.address, ended.secret)) }
        return true
    }

    /// Takes the dials that are to be made again in the first version.
    mutating func takeRepeated() -> [(Address, ChannelSecret)] {
        defer { repeated = [] }
        return repeated
    }

    /// Takes the addresses that the search for admission is to try now.
    /// - Parameters:
    ///   - addresses: The addresses in sight.
    ///   - now: Milliseconds of the monotonic clock.
    /// - Returns: As many as there is room for; they count as tried.
    mutating func due(_ addresses: [Address], at now: UInt64) -> [Address] {
        guard var search = admission else { return [] }
        var due: [Address] = []
        search.nextDue = nil
        for address in addresses {
            let next = search.tried[address].map { $0 + Self.retryMilliseconds }
            if let next, next > now {
                search.nextDue = min(search.nextDue ?? next, next)
            } else if dials.count + due.count < Self.dialCountMax {
                due.append(address)
                search.tried[address] = now
                search.nextDue = min(search.nextDue ?? .max, now + Self.retryMilliseconds)
            }
        }
        admission = search
        assert(due.count <= room, "no more dials begin than there is room for")
        return due
    }
}
