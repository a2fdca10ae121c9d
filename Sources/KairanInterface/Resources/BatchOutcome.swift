/// The outcome of a batch of writes.
public struct BatchOutcome: Sendable, Codable {
    /// Records saved.
    public var saved: Int
    /// Writes refused.
    public var failed: Int
    /// One result a write, in order.
    public var results: [Outcome]

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(saved: Int, failed: Int, results: [Outcome]) {
        (self.saved, self.failed, self.results) = (saved, failed, results)
    }

    /// The outcome of one write.
    public enum Outcome: Sendable, Codable {
        /// The write was saved, or the record was found: the current record.
        case saved(Record)
        /// The write was refused.
        case refused(Problem)

        /// Reads a record or a problem document.
        public init(from decoder: any Decoder) throws {
            let problem = try? Problem(from: decoder)  // A record has no `code`: then it is one.
            self = try problem.map(Outcome.refused) ?? .saved(Record(from: decoder))
        }

        /// Writes the record or the problem document.
        public func encode(to encoder: any Encoder) throws {
            switch self {
            case .saved(let record): try record.encode(to: encoder)
            case .refused(let problem): try problem.encode(to: encoder)
            }
        }
    }
}
