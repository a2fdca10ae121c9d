package import Wire

/// The progress of a message's payload, which travels apart from the message's record.
package struct PayloadProgress: Sendable, Hashable {
    /// The state of the transfer.
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// All of it is here.
        case present
        /// It is being fetched, or waits for a peer that has it.
        case fetching
        /// It is not here and is not fetched: it is for others, or was here and is gone.
        case absent
    }

    /// The payload.
    package var id: PayloadID
    /// The state of the transfer.
    package var state: State
    /// The part of it that is here, 0...100 percent.
    package var percent: Int

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(id: PayloadID, state: State, percent: Int) {
        (self.id, self.state, self.percent) = (id, state, percent)
    }
}
