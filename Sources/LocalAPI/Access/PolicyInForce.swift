import Synchronization

/// The policy by which callers are judged at this moment; a reload of the configuration replaces it.
package final class PolicyInForce: Sendable {
    private struct State {
        var policy: AccessPolicy
        var onChange: @Sendable () -> Void = {}
    }

    private let state: Mutex<State>

    /// Begins with a policy.
    package init(_ policy: AccessPolicy) {
        state = Mutex(State(policy: policy))
    }

    /// The policy.
    package var current: AccessPolicy { state.withLock { $0.policy } }

    /// Replaces the policy: closes the connections whose caller differs under the new policy, and keeps all others.
    package func replace(_ policy: AccessPolicy) {
        let onChange = state.withLock { state in
            state.policy = policy
            return state.onChange
        }
        onChange()
    }

    /// Sets the action that examines the open connections again after a change; one at a time.
    func onChange(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.onChange = body }
    }
}
