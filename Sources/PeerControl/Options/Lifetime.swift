import ArgumentParser

/// A lifetime: a number with `m`, `h` or `d`.
struct Lifetime: ExpressibleByArgument, Hashable {
    /// The time.
    var seconds: Int

    init(seconds: Int) {
        self.seconds = seconds
    }

    init?(argument: String) {
        let units: [Character: Int] = ["m": 60, "h": 3_600, "d": 86_400]
        guard let unit = argument.last.flatMap({ units[$0] }), let count = Int(argument.dropLast()), count > 0 else {
            return nil
        }
        let (seconds, isTooLong) = count.multipliedReportingOverflow(by: unit)
        guard !isTooLong else { return nil }
        self.seconds = seconds
    }

    var defaultValueDescription: String { seconds % 86_400 == 0 ? "\(seconds / 86_400)d" : "\(seconds / 3_600)h" }
}
