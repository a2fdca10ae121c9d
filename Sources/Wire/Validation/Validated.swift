/// A value that states the rules which its own parts keep.
///
/// The rules are written once and used on both sides of each boundary: the code that makes the value asserts all of them, a store checks the
/// cheap ones before it keeps the value and after it has read it. So a mistake of ours is found where it is made, and a row that
/// something else has changed is damage with a name.
///
/// The rules are about what this program makes. Bytes from a peer are judged by the protocol before a value is made of them.
package protocol Validated {
    /// Checks the rules that cost no more than reading the value does.
    /// - Throws: The first rule that does not hold.
    func checkRules() throws(BrokenRule)

    /// Checks the rules that need a hash, a decoder, or a pass over many parts; none unless stated.
    /// - Throws: The first rule that does not hold.
    func checkCostlyRules() throws(BrokenRule)
}

extension Validated {
    package func checkCostlyRules() throws(BrokenRule) {}

    /// The first cheap rule that does not hold; `nil` for a value that keeps them.
    package var brokenRule: BrokenRule? {
        do throws(BrokenRule) {
            try checkRules()
            return nil
        } catch {
            return error
        }
    }

    /// The first rule of all that does not hold.
    private var anyBrokenRule: BrokenRule? {
        do throws(BrokenRule) {
            try checkRules()
            try checkCostlyRules()
            return nil
        } catch {
            return error
        }
    }

    /// Asserts that the value keeps all its rules.
    ///
    /// Without assertions it costs nothing.
    /// - Parameters:
    ///   - file: The file of the caller.
    ///   - line: The line of the caller.
    package func assertValid(file: StaticString = #fileID, line: UInt = #line) {
        assert(anyBrokenRule == nil, "\(Self.self): \(anyBrokenRule?.description ?? "")", file: file, line: line)
    }
}

/// Whether this build checks its assertions.
package enum Assertions {
    /// True in tests, fuzzers and the simulator, and false in programs for use.
    package static var areActive: Bool {
        var areActive = false
        assert(
            {
                areActive = true
                return true
            }()
        )
        return areActive
    }
}
