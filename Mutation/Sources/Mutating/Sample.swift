/// A file's candidates, from which a sample is drawn.
public struct Stratum: Sendable {
    /// The file's path in the tree.
    public let path: String
    /// The number of the file's lines: its share of the sample.
    public let lineCount: Int
    /// All changes that can be made in the file, by their places.
    public let candidates: [Candidate]

    /// Describes a file.
    public init(path: String, lineCount: Int, candidates: [Candidate]) {
        self.path = path
        self.lineCount = lineCount
        self.candidates = candidates
    }
}

/// Changes drawn from files, in proportion to their lines.
public struct Sample: Sendable {
    /// The drawn changes of each file, by their places; a file without any is absent.
    public private(set) var drawn: [String: [Candidate]] = [:]

    /// Draws a sample that its arguments determine.
    ///
    /// The lines of all files together are divided into as many equal parts as changes are wanted, and one line is drawn
    /// from each part by the same offset: a file of many lines has many changes, and a short file has a chance. At each
    /// line a kind of change is drawn from those that the file still has, and then a change of that kind. Where a file has
    /// none left, the next file that has some takes its place.
    public init(of strata: [Stratum], count: Int, seed: UInt64) {
        let strata = strata.filter { !$0.candidates.isEmpty }.sorted { $0.path < $1.path }
        var left = strata.map { stratum in stratum.candidates.indices.map { $0 } }
        var chosen = strata.map { _ in [Int]() }
        var generator = SeededGenerator(seed: seed)
        let lines = strata.reduce(0) { $0 + $1.lineCount }
        let available = left.reduce(0) { $0 + $1.count }
        guard lines > 0 else { return }
        let wanted = min(count, available)
        let offset = generator.below(lines)
        for part in 0..<wanted {
            // The line that is drawn from the part, from 0; the offset turns the lines round.
            let line = (part * lines / wanted + offset) % lines
            var file = Self.index(of: line, in: strata)
            while left[file].isEmpty { file = (file + 1) % strata.count }
            let candidates = strata[file].candidates
            let kinds = Set(left[file].map { candidates[$0].kind }).sorted()
            let kind = kinds[generator.below(kinds.count)]
            let places = left[file].indices.filter { candidates[left[file][$0]].kind == kind }
            chosen[file].append(left[file].remove(at: places[generator.below(places.count)]))
        }
        for (stratum, indices) in zip(strata, chosen) where !indices.isEmpty {
            drawn[stratum.path] = indices.sorted().map { stratum.candidates[$0] }
        }
    }

    private static func index(of line: Int, in strata: [Stratum]) -> Int {
        var first = 0
        for (index, stratum) in strata.enumerated() {
            first += stratum.lineCount
            if line < first { return index }
        }
        return strata.count - 1
    }
}
