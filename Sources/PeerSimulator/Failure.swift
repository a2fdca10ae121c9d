import Simulator

/// A seed whose history broke a law.
struct Failure {
    let scenario: String
    let seed: UInt64
    let options: String
    let text: String
    /// The line that runs it again.
    let replayLine: String
}
