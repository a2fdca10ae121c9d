/// A kind of change to a program.
public enum MutationOperator: String, CaseIterable, Comparable, Sendable {
    /// The opposite of the condition of a branch, a loop or a `where` clause.
    case condition
    /// The neighbour of a comparison: `<` and `<=`, `>` and `>=`, `==` and `!=`.
    case comparison
    /// `&&` in place of `||`, and the reverse.
    case connective
    /// A number that is greater or less by one.
    case number
    /// A call or an assignment that is left out.
    case statement

    /// By name.
    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
