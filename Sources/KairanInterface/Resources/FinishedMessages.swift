/// The outcome of finishing several messages.
public struct FinishedMessages: Sendable, Codable {
    /// The number of messages that are finished, with those that were before.
    public var finished: Int
    /// The messages that could not be finished.
    public var refused: [Refusal]

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(finished: Int, refused: [Refusal]) {
        (self.finished, self.refused) = (finished, refused)
    }

    /// A message that could not be finished.
    public struct Refusal: Sendable, Codable {
        /// The id, as it was sent.
        public var message: String
        /// The reason.
        public var problem: Problem

        /// Describes it.
        /// - Parameters: as the properties of the same names.
        package init(message: String, problem: Problem) {
            (self.message, self.problem) = (message, problem)
        }
    }
}
