/// A device whose program is modified in one place, and is the production core otherwise.
///
/// Each has a scenario of its own, and is met in `everything`.
enum Liar: CaseIterable, Sendable {
    /// Overstates the length of logs in every control operation with positions, and continues writing after its right
    /// has ended.
    case futurePositions
    /// Begins one incarnation of its store after another under one right.
    case manyLives
    /// Fills control logs with operations of unknown kinds.
    case controlFlood
    /// Has a wall clock that is decades wrong when it begins epochs and sends.
    case lyingClock
    /// Signs entries of the account's log without end, even after its removal.
    case accountFlood
    /// Begins keys, and seals something else in place of them to some of the readers.
    case falseKeys

    /// The scenario of this liar.
    var scenario: Scenario {
        switch self {
        case .futurePositions: .futurePositions
        case .manyLives: .manyLives
        case .controlFlood: .controlFlood
        case .lyingClock: .lyingClock
        case .accountFlood: .accountFlood
        case .falseKeys: .falseKeys
        }
    }
}
