package import Wire

/// How much of what a message says is here, where that travels apart from its record.
package struct PayloadProgress: Sendable, Hashable {
    /// How far it is.
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// All of it is here.
        case present
        /// It is being fetched, or waits for somebody who has it.
        case fetching
        /// It is not here and is not fetched: it is for others, or was here and is gone.
        case absent
    }

    /// The payload.
    package var id: PayloadID
    /// How far it is.
    package var state: State
    /// How much of it is here, 0...100.
    package var percent: Int

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(id: PayloadID, state: State, percent: Int) {
        (self.id, self.state, self.percent) = (id, state, percent)
    }
}
