import ArgumentParser

/// Seeds from one to another, both included; written `A..B`, or `A` for one.
struct SeedRange: ExpressibleByArgument {
    let first: UInt64
    let last: UInt64

    init(first: UInt64, last: UInt64) {
        self.first = first
        self.last = last
    }

    init?(argument: String) {
        let parts = argument.split(separator: "..", omittingEmptySubsequences: false).map { UInt64($0) }
        guard (1...2).contains(parts.count), let first = parts[0], let last = parts[parts.count - 1],
            first <= last, last < .max
        else { return nil }
        self.init(first: first, last: last)
    }

    var defaultValueDescription: String { first == last ? "\(first)" : "\(first)..\(last)" }
}
