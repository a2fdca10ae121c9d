/// Somebody whose program is changed in one place, and is the production core in all others.
///
/// Each has a scenario of its own, and is met in `everything`.
enum Liar: CaseIterable, Sendable {
    /// Says of logs that they are longer than they are, in every control operation that has positions, and goes on writing when its
    /// right has ended.
    case futurePositions
    /// Begins one lifetime of its store after the other under one right.
    case manyLives
    /// Fills control logs with operations of kinds that nobody knows.
    case controlFlood
    /// Has a wall clock that is decades wrong when it begins epochs and sends.
    case lyingClock
    /// Signs entries of the account's log without end, also after its removal.
    case accountFlood
    /// Begins keys, and seals something else in place of them to some of those who may read.
    case falseKeys

    /// Its scenario.
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
