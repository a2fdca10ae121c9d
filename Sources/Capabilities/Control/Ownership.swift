package import Wire

/// A time during which one account owned the zone.
package struct Ownership: Hashable, Sendable {
    /// The owner.
    package let account: AccountID
    /// The right that its logs name as the capability they are written under: zero for the first owner, then the
    /// transfer's hash.
    ///
    /// A name for each ownership and not one for all, so that a log says which one it belongs to, also when a zone comes
    /// back to an account that has owned it before.
    package let right: Hash
    /// The operation that ended it: a transfer, or in a pair zone a leave.
    var end: Ending?
    /// Whether the account holds it: one that has left a pair zone comes back by writing under its next ownership.
    var isHeld = true

    /// Whether it is over.
    package var hasEnded: Bool { end != nil }
}

/// The ownerships of a zone, in order; each is found by its right.
package struct Ownerships: RandomAccessCollection, MutableCollection, Hashable, Sendable {
    private var all: [Ownership] = []
    /// The index of each right in the list; follows from the list.
    private var places: [Hash: Int] = [:]

    init(_ ownerships: some Sequence<Ownership>) {
        for ownership in ownerships { append(ownership) }
    }

    /// The first owner's place.
    package var startIndex: Int { all.startIndex }
    /// The place behind the last one.
    package var endIndex: Int { all.endIndex }

    /// One of them; its right stays as it is.
    package subscript(position: Int) -> Ownership {
        get { all[position] }
        set {
            assert(newValue.right == all[position].right, "the right names the ownership")
            all[position] = newValue
        }
    }

    /// The one that has a right.
    /// - Complexity: O(1); zones may change hands thousands of times, and each operation's right is looked for.
    subscript(right: Hash) -> Ownership? { places[right].map { all[$0] } }

    /// Appends one; of two that had one right the first would be found.
    mutating func append(_ ownership: Ownership) {
        if places[ownership.right] == nil { places[ownership.right] = all.count }
        all.append(ownership)
    }

    package static func == (left: Self, right: Self) -> Bool { left.all == right.all }
    package func hash(into hasher: inout Hasher) { hasher.combine(all) }
}
