/// A family of measurements under one name.
package struct MetricFamily: Hashable, Sendable {
    /// The kind of a measurement.
    package enum Kind: Hashable, Sendable {
        /// The number or amount of events since the start; never less than before.
        case counter
        /// The present number or amount of something.
        case gauge
        /// The number of values up to each of these bounds, which rise; and the number of all values, and their sum.
        case histogram(bounds: [Double])
    }

    /// Its name.
    package var name: String
    /// The kind of measurement.
    package var kind: Kind
    /// The meaning of the metric, in a few words for people.
    package var help: String
    /// The labels that distinguish its series, in order.
    package var labels: [String]

    /// Makes a family.
    /// - Parameters: as the properties of the same names.
    package init(name: String, kind: Kind, help: String, labels: [String] = []) {
        self.name = name
        self.kind = kind
        self.help = help
        self.labels = labels
    }
}
