/// Writes that one caller asked for together.
package struct WriteRequest: Equatable, Sendable {
    /// The writes in order; a later one sees the effects of an earlier one.
    package var writes: [RecordWrite]
    /// True: all or none, on every replica.
    package var isAtomic: Bool

    /// A request.
    package init(_ writes: [RecordWrite], isAtomic: Bool = true) {
        self.writes = writes
        self.isAtomic = isAtomic
    }
}
