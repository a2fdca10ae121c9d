/// A message that could not be finished together with others.
package struct UnfinishedMessage: Sendable {
    /// The id, as it was given.
    package let message: String
    /// The reason.
    package let error: NodeError

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(message: String, error: NodeError) {
        (self.message, self.error) = (message, error)
    }
}
