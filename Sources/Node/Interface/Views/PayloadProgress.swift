package import KairanInterface
package import Wire

/// The progress of a message's payload, which travels apart from the message's record.
package struct PayloadProgress: Sendable, Hashable {
    /// The payload.
    package var id: PayloadID
    /// The state of the transfer.
    package var state: MessagePayload.State
    /// The part of it that is here, 0...100 percent.
    package var percent: Int

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(id: PayloadID, state: MessagePayload.State, percent: Int) {
        (self.id, self.state, self.percent) = (id, state, percent)
    }
}
