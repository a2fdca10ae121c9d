/// One subject of fuzzing.
package struct FuzzTarget: Sendable {
    /// The target's name on the command line; also the name of its corpus.
    package let name: String
    /// The longest input worth trying, in bytes.
    package let inputByteCountMax: Int
    /// The time that one input may take, in seconds.
    package let secondsMax: Int
    /// Tries one input; traps when a law is broken.
    package let run: @Sendable ([UInt8]) -> Void
    /// Inputs made from real values, from which the corpus grows.
    package let seeds: @Sendable () -> [[UInt8]]

    /// Describes a target.
    package init(
        _ name: String,
        inputByteCountMax: Int = 4_096,
        secondsMax: Int = 1,
        run: @escaping @Sendable ([UInt8]) -> Void,
        seeds: @escaping @Sendable () -> [[UInt8]]
    ) {
        self.name = name
        self.inputByteCountMax = inputByteCountMax
        self.secondsMax = secondsMax
        self.run = run
        self.seeds = seeds
    }
}

/// Stops the fuzzer when a law does not hold.
/// - Parameters:
///   - holds: Whether it does.
///   - law: The law, as a sentence.
package func demand(_ holds: Bool, _ law: @autoclosure () throws -> String) rethrows {
    if holds { return }
    let text = try law()
    preconditionFailure("law broken: \(text)")
}

/// Returns the result of a body that cannot fail, and stops the process if it does: with a broken fixture the fuzzer
/// would find nothing.
package func always<Value: ~Copyable>(_ what: String, _ body: () throws -> Value) -> Value {
    do {
        return try body()
    } catch {
        preconditionFailure("\(what): \(error)")
    }
}

/// Returns a value that is there, and stops the process if it is not.
package func known<Value>(_ what: String, _ value: Value?) -> Value {
    guard let value else { preconditionFailure(what) }
    return value
}
