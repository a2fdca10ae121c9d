/// What is measured under one name.
package struct MetricFamily: Hashable, Sendable {
    /// How it is measured.
    package enum Kind: Hashable, Sendable {
        /// How often something happened since the start, or how much of it; never less than before.
        case counter
        /// How much there is of something now.
        case gauge
        /// How many values were at most each of these bounds, which rise; how many there were, and their sum.
        case histogram(bounds: [Double])
    }

    /// Its name.
    package var name: String
    /// How it is measured.
    package var kind: Kind
    /// What it says, in a few words for people.
    package var help: String
    /// The labels by which its series are told apart, in order.
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
