/// The only randomness of a simulation (SplitMix64): one seed gives one sequence on every machine.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts the sequence that belongs to a seed.
    package init(seed: UInt64) {
        state = seed
    }

    /// The next 64 pseudo-random bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Pseudo-random bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    /// Draws whether an event with a probability between 0 and 1 happens.
    package mutating func chance(_ probability: Double) -> Bool {
        Double(next() >> 11) * 0x1p-53 < probability
    }

    /// A number of a range; much cheaper than `random(in:using:)`, and even enough for a simulation.
    package mutating func number(_ range: ClosedRange<UInt64>) -> UInt64 {
        let width = range.upperBound - range.lowerBound
        guard width < .max else { return next() }
        return range.lowerBound + next().multipliedFullWidth(by: width + 1).high
    }

    /// An index below a count, which must be positive.
    package mutating func index(below count: Int) -> Int {
        Int(number(0...UInt64(count - 1)))
    }

    /// One of several; `nil` of none.
    package mutating func element<Element>(of all: [Element]) -> Element? {
        all.isEmpty ? nil : all[index(below: all.count)]
    }

    /// A waiting time of about exponential distribution.
    ///
    /// Computed from the leading zeros and the mantissa of random bits, since a library's logarithm may differ in the last
    /// bit from machine to machine.
    ///
    /// - Parameter mean: Its mean; also the unit of the result.
    /// - Returns: At most forty times the mean.
    package mutating func exponential(mean: Double) -> UInt64 {
        let bits = next() | 1
        let zeros = bits.leadingZeroBitCount
        let mantissa = Double((bits << (zeros + 1)) >> 12) * 0x1p-52
        let binaryDigits = Double(zeros) + 1 - mantissa
        return UInt64(min(mean * 0.693_147 * binaryDigits, mean * 40))
    }
}
