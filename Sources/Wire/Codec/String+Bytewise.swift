extension String {
    /// Whether both strings are the same UTF-8 bytes.
    ///
    /// Swift's `==` takes canonically equivalent strings ("é" in one or two scalars) for equal. On the wire they are
    /// two strings, so everything on which replicas must agree compares bytes.
    /// - Complexity: O(length).
    package func isBytewiseEqual(to other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }

    /// Whether these UTF-8 bytes sort before the other's.
    /// - Complexity: O(length).
    package func isBytewiseLess(than other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}

/// A string that is equal to, hashes as and sorts as its UTF-8 bytes: the right key for a dictionary of names.
package struct BytewiseString: Hashable, Comparable, Sendable {
    /// The string itself.
    package let string: String

    /// Wraps a string.
    package init(_ string: String) {
        self.string = string
    }

    /// Whether both are the same bytes.
    package static func == (left: Self, right: Self) -> Bool {
        left.string.isBytewiseEqual(to: right.string)
    }

    /// Whether the left bytes sort before the right ones.
    package static func < (left: Self, right: Self) -> Bool {
        left.string.isBytewiseLess(than: right.string)
    }

    /// Feeds the bytes.
    package func hash(into hasher: inout Hasher) {
        for byte in string.utf8 {
            hasher.combine(byte)
        }
        hasher.combine(0xFF as UInt8)
    }
}
