internal import Crypto
import Synchronization

/// The encapsulation keys that were found valid or invalid.
///
/// The answer for a key never changes, and finding it takes as long as sealing to the key, while each change of a zone's rights asks about
/// each device that lacks a secret.
final class TriedKeys: Sendable {
    /// The number of answers kept: as many as a zone has actors.
    ///
    /// When there is no room for another one, all are dropped.
    static let capacity = 4_096

    private let answers = Mutex<[SHA256Digest: Bool]>([:])

    /// Whether a key is valid.
    /// - Parameters:
    ///   - key: Its bytes.
    ///   - find: Computes the answer; two threads may do so at the same time.
    /// - Returns: The answer.
    func answer(for key: [UInt8], _ find: () -> Bool) -> Bool {
        let name = SHA256.hash(data: key)
        if let known = answers.withLock({ $0[name] }) { return known }
        let answer = find()
        answers.withLock { answers in
            if answers.count >= Self.capacity { answers.removeAll(keepingCapacity: true) }
            answers[name] = answer
        }
        return answer
    }
}
