/// A rule that a value breaks, as a clause that says what holds of a valid one.
package struct BrokenRule: Error, Equatable, Sendable {
    /// The rule, a clause in the present tense: "the applied leaves of a log are held".
    package let rule: String

    /// Names a rule.
    package init(_ rule: String) {
        self.rule = rule
    }
}

extension BrokenRule: CustomStringConvertible {
    package var description: String { "it breaks the rule that \(rule)" }
}

/// States a rule of a value, inside ``Validated/checkRules()`` and ``Validated/checkCostlyRules()``.
/// - Parameters:
///   - holds: Whether the rule holds.
///   - rule: The rule, as ``BrokenRule/rule``.
/// - Throws: The rule, where it does not hold.
package func mustHold(_ holds: Bool, _ rule: StaticString) throws(BrokenRule) {
    guard holds else { throw BrokenRule("\(rule)") }
}
