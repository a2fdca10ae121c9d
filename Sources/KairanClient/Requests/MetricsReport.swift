/// The daemon's counters and measurements, grouped into families of one name.
public struct MetricsReport: Sendable, Hashable {
    /// The counters or measurements of one name.
    public struct Family: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// `counter`, `gauge` or `histogram`.
        public var type: String
        /// The description, in a few words.
        public var help: String
        /// Its values.
        public var samples: [Sample]
    }

    /// One value.
    public struct Sample: Sendable, Hashable {
        /// Its name: the family's, and for histograms with `_bucket`, `_sum` or `_count` behind it.
        public var name: String
        /// Its labels.
        public var labels: [String: String]
        /// The value.
        public var value: Double
    }

    /// The families, in the order in which the daemon names them.
    public var families: [Family]

    /// Returns the sum of all values of a name, over those with the given labels.
    /// - Parameters:
    ///   - name: The name of samples.
    ///   - labels: Labels that they have; others do not matter.
    /// - Returns: The sum; `nil` when there is no such sample.
    public func sum(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        let values = families.flatMap(\.samples).filter { sample in
            sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
        }.map(\.value)
        return values.isEmpty ? nil : values.reduce(0, +)
    }
}
