extension [UInt8] {
    /// Appends zeros, by copying blocks of them.
    ///
    /// Appending a repeated element is as fast in optimized code only; tests run unoptimized code over megabytes.
    /// - Parameter count: The number; not negative.
    /// - Complexity: O(count).
    package mutating func appendZeros(_ count: Int) {
        var left = count
        while left > 0 {
            let step = Swift.min(left, zeros.count)
            append(contentsOf: zeros[..<step])
            left -= step
        }
    }
}

private let zeros = [UInt8](repeating: 0, count: 4_096)
