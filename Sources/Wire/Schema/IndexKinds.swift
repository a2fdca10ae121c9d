/// The indexes that a field asks for.
package struct IndexKinds: OptionSet, Hashable, Sendable {
    /// The bits: 1 by value, 2 by the words of a text.
    package let rawValue: UInt64

    /// Makes a set of bits.
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// By value, for comparison and order.
    package static let value = IndexKinds(rawValue: 1)
    /// By the words of a text.
    package static let text = IndexKinds(rawValue: 2)
}
