extension VersionVector {
    /// The relation of two vectors.
    package enum Order: Hashable, Sendable {
        /// They cover the same dots.
        case equal
        /// The other one covers all of this one and more.
        case before
        /// This one covers all of the other one and more.
        case after
        /// Each covers a dot that the other does not.
        case concurrent
    }

    /// Covers from now on also the dots that the other vector covers.
    /// - Complexity: O(n + m).
    package mutating func merge(_ other: VersionVector) {
        self = merged(with: other)
    }

    /// Covers from now on also one write, and everything its actor wrote before.
    /// - Complexity: O(log n), O(n) for a new actor.
    package mutating func merge(_ dot: Dot) {
        if dot.counter > self[dot.actor] {
            self[dot.actor] = dot.counter
        }
    }

    /// The smallest vector that covers both.
    /// - Complexity: O(n + m).
    package func merged(with other: VersionVector) -> VersionVector {
        if other.isEmpty { return self }
        if isEmpty { return other }
        var result: [Dot] = []
        result.reserveCapacity(max(count, other.count))
        var left = entries[...]
        var right = other.entries[...]
        while let first = left.first, let second = right.first {
            if first.actor == second.actor {
                result.append(first.counter >= second.counter ? first : second)
                left.removeFirst()
                right.removeFirst()
            } else if first.actor < second.actor {
                result.append(first)
                left.removeFirst()
            } else {
                result.append(second)
                right.removeFirst()
            }
        }
        result.append(contentsOf: left)
        result.append(contentsOf: right)
        return VersionVector(ascending: result)
    }

    /// Returns the relation of this vector to another.
    /// - Complexity: O(n + m).
    package func compare(_ other: VersionVector) -> Order {
        switch (covers(other), other.covers(self)) {
        case (true, true): .equal
        case (true, false): .after
        case (false, true): .before
        case (false, false): .concurrent
        }
    }
}
