package import Wire

/// The zones by whose keys devices of other accounts are found and dialled, and their order.
///
/// Two accounts may share many zones, and need one key. So the zones are put in an order in which the first ones
/// reach every account: those are announced, dialled under, and accepted before all others. Zones that everyone may
/// read come first of all, since the devices that are to find them are not known.
package struct DoorOrder: Sendable {
    /// The most announced zones that everyone may read: they are not to take the places of all others.
    private static let openCountMax = 7

    /// The accounts that take part in each zone, or did.
    package private(set) var parties: [ZoneID: Set<AccountID>] = [:]
    /// Zones in which this account takes part and that everyone may read.
    package private(set) var open: Set<ZoneID> = []
    /// The zones, those first that together reach every account, each part ascending.
    package private(set) var all: [ZoneID] = []
    /// The number of zones, from the first, that reach every account.
    private var coveringCount = 0
    /// The account that made each zone.
    private var makers: [ZoneID: AccountID] = [:]
    /// Zones that two accounts have together: the other one may not have made it yet.
    private var pairs: Set<ZoneID> = []
    /// Zones that this account only reads, or once did, since they are public: no device is to find it by them.
    private var visited: Set<ZoneID> = []
    /// The accounts whose right in each zone lets them read it.
    private var readers: [ZoneID: Set<AccountID>] = [:]

    /// Starts without zones.
    package init() {}

    /// Takes in the present authority of a zone.
    /// - Parameters:
    ///   - authority: The authority, which names the accounts that take part.
    ///   - own: This account.
    /// - Returns: Whether anything changed.
    /// - Complexity: O(zones × accounts in them).
    package mutating func update(_ authority: ZoneAuthority, own: AccountID) -> Bool {
        let zone = authority.zone
        // A zone that turns out never to have been shared has no door.
        let takingPart = authority.parties == [own] && !authority.isOpen ? nil : authority.parties
        let isOpened = open.update(zone, isIn: authority.isOpen && authority.parties.contains(own))
        let isVisited = visited.update(zone, isIn: authority.isGuest(own))
        guard parties[zone] != takingPart || isOpened || isVisited else { return false }
        parties[zone] = takingPart
        let genesis = authority.terms.genesis
        makers[zone] = genesis.partner == nil ? genesis.owner : nil
        pairs.update(zone, isIn: takingPart != nil && genesis.partner != nil)
        arrange(own: own)
        return true
    }

    /// Forgets a zone.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - own: This account.
    package mutating func remove(_ zone: ZoneID, own: AccountID) {
        (parties[zone], makers[zone], readers[zone]) = (nil, nil, nil)
        open.remove(zone)
        pairs.remove(zone)
        visited.remove(zone)
        arrange(own: own)
    }

    private mutating func arrange(own: AccountID) {
        var covering = Array(open.sorted().prefix(Self.openCountMax))
        var others: [ZoneID] = []
        var reached = covering.reduce(into: Set([own])) { $0.formUnion(parties[$1] ?? []) }
        // The account that made a zone has its key for certain; one that was only granted a right may never have
        // learnt of it.
        for zone in parties.keys.sorted() where !covering.contains(zone) {
            if let maker = makers[zone], reached.insert(maker).inserted { covering.append(zone) }
        }
        let rest = parties.keys.filter { !covering.contains($0) }
        for zone in rest.sorted(by: { (pairs.contains($0) ? 1 : 0, $0) < (pairs.contains($1) ? 1 : 0, $1) }) {
            let new = (parties[zone] ?? []).subtracting(reached)
            reached.formUnion(new)
            if new.isEmpty { others.append(zone) } else { covering.append(zone) }
        }
        all = covering + others
        coveringCount = covering.count
        assert(
            Set(all) == Set(parties.keys) && all.count == parties.count,
            "each zone with a door has one place in the order"
        )
        assert(
            Set(parties.values.joined()).isSubset(
                of: covering.reduce(into: Set([own])) { $0.formUnion(parties[$1] ?? []) }
            ),
            "the covering zones reach every account that a zone is shared with"
        )
    }

    /// Whether an account may read a zone that could not at the last call, such as one whose right was only to relay.
    ///
    /// Sessions with its devices were refused until now, since nothing was shared.
    /// - Parameter authority: The present authority of the zone.
    /// - Returns: True also for the first call about the zone.
    package mutating func hasNewReader(_ authority: ZoneAuthority) -> Bool {
        let now = Set(authority.members.filter { !authority.hasEnded($0) })
        let before = readers.updateValue(now, forKey: authority.zone) ?? []
        return !now.isSubset(of: before)
    }

    /// The zones by whose keys other devices are called.
    package var covering: ArraySlice<ZoneID> { all.prefix(coveringCount) }
    /// The covering zones by which other devices can find this one.
    package var announced: [ZoneID] { covering.filter { !visited.contains($0) } }
    /// The zones under whose keys connections are accepted.
    package var accepted: [ZoneID] { all.filter { !visited.contains($0) } }

    /// The zones that reach an account.
    ///
    /// The account may not know that this account takes part in the first one, or may not know it at all: the device
    /// that admitted this account may not have met it since. Then another zone leads to it.
    /// - Parameter account: The account.
    /// - Returns: In the order of ``all``; none for an account that takes part in no zone that is known here.
    /// - Complexity: O(zones).
    package func zones(reaching account: AccountID) -> [ZoneID] {
        all.filter { parties[$0]?.contains(account) == true }
    }
}

extension Set {
    /// Makes an element be in the set, or not.
    /// - Returns: Whether that is different from before.
    @discardableResult
    fileprivate mutating func update(_ element: Element, isIn: Bool) -> Bool {
        isIn ? insert(element).inserted : remove(element) != nil
    }
}
