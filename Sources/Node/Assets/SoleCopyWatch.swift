import Sync
import Synchronization

/// The look for contents that are on this device alone: a part of them at a time, and a rest behind the last part.
final class SoleCopyWatch: Sendable {
    private struct State {
        var look = SoleCopies()
        /// Calls that do nothing.
        var rest = 0
    }

    /// The calls, one each minute, for which the watch rests when it has looked at all contents.
    private static let restCount = 9

    private let state = Mutex(State())

    /// Looks at a part of the contents.
    /// - Parameter store: The store.
    /// - Returns: The contents that were found, when all have been looked at; else `nil`.
    /// - Throws: An error of the store.
    func look(in store: CallerStore) async throws -> SoleCopies? {
        let next = state.withLock { state -> SoleCopies? in
            guard state.rest == 0 else {
                state.rest -= 1
                return nil
            }
            return state.look
        }
        guard let look = next else { return nil }
        let (found, isAtEnd) = try await store.storage.read { transaction in
            var look = look
            let isAtEnd = try look.step(store.committer, in: transaction)
            return (look, isAtEnd)
        }
        state.withLock { state in
            state.look = isAtEnd ? SoleCopies() : found
            state.rest = isAtEnd ? Self.restCount : 0
        }
        return isAtEnd ? found : nil
    }
}
