/// The progress of the daemon's checks of itself.
public struct CheckProgress: Sendable, Hashable, Codable {
    /// The codes of the checks that are made now, the one that takes the most time first.
    public var running: [String]
    /// The number of checks that were made before.
    public var done: Int
    /// The number of all checks; warnings that are no check's finding follow behind them and are not counted.
    public var count: Int

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(running: [String], done: Int, count: Int) {
        (self.running, self.done, self.count) = (running, done, count)
    }
}
