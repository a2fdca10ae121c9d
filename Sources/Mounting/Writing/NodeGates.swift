internal import Synchronization

/// Lets one task at a time store, move or remove a written file; further ones wait for it.
final class NodeGates: Sendable {
    private struct State {
        var held: Set<NodeID> = []
        var waiting: [NodeID: [CheckedContinuation<Void, Never>]] = [:]
    }

    private let state = Mutex(State())

    /// Does something while no other task does something with the same file.
    func hold<Value>(_ id: NodeID, _ body: () async throws -> Value) async rethrows -> Value {
        while !enter(id) { await wait(for: id) }
        defer { leave(id) }
        return try await body()
    }

    /// Does something while no other task does something with any of some files.
    ///
    /// All tasks enter the gates of several files in one order, so that none waits for another one in a circle.
    func hold<Value>(_ ids: [NodeID], _ body: () async throws -> Value) async rethrows -> Value {
        let all = Set(ids).sorted()
        for id in all {
            while !enter(id) { await wait(for: id) }
        }
        defer {
            for id in all { leave(id) }
        }
        return try await body()
    }

    private func enter(_ id: NodeID) -> Bool { state.withLock { $0.held.insert(id).inserted } }

    private func wait(for id: NodeID) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.held.contains(id) else { return true }
                state.waiting[id, default: []].append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave(_ id: NodeID) {
        let all = state.withLock { state in
            state.held.remove(id)
            return state.waiting.removeValue(forKey: id) ?? []
        }
        for continuation in all { continuation.resume() }
    }
}
