package import Identity
import Records
package import Wire

/// The store's lifetime, as it is found at start: continued, or begun anew when the store is not what it was.
package struct StoreLifetime: Sendable {
    /// The lifetime under which the store writes from now on.
    package let incarnation: Incarnation
    /// The number of the commit that this beginning is.
    package let commitNumber: UInt64
    /// What was found.
    package let decision: IncarnationDecision

    /// Whether the store may lack what this device once had.
    package var isRecovering: Bool {
        switch decision {
        case .continue, .firstStart: false
        case .renew, .recovering: true
        }
    }

    /// Begins a start of the node: the first transaction of all.
    /// - Parameters:
    ///   - hasKeys: Whether the device's keys were found.
    ///   - sentinel: The sentinel as it was found.
    ///   - machine: Names this computer, as in the sentinel.
    ///   - random: For a new lifetime.
    ///   - transaction: The store.
    /// - Returns: The lifetime; the sentinel is to be written with it once it is durable.
    /// - Throws: What the store throws.
    package static func begin(
        hasKeys: Bool,
        sentinel: IncarnationDecision.SentinelState,
        machine: [UInt8],
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> StoreLifetime {
        let found = try IncarnationDecision.StoreState(transaction)
        let decision = IncarnationDecision.decide(hasKeys: hasKeys, store: found, sentinel: sentinel, machine: machine)
        return try begin(decision, random: &random, in: &transaction)
    }

    /// Begins a start of the node as it was decided: the first transaction of all.
    /// - Parameters:
    ///   - decision: What to do; made of this very store.
    ///   - random: For a new lifetime.
    ///   - transaction: The store.
    /// - Returns: The lifetime; the sentinel is to be written with it once it is durable.
    /// - Throws: What the store throws.
    package static func begin(
        _ decision: IncarnationDecision,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> StoreLifetime {
        let number = try transaction.nextCommitNumber()
        if decision == .continue, let stored = try transaction.incarnation() {
            return StoreLifetime(incarnation: stored, commitNumber: number, decision: decision)
        }
        let fresh = Incarnation(using: &random)
        try transaction.save(fresh)
        return StoreLifetime(incarnation: fresh, commitNumber: number, decision: decision)
    }
}

extension IncarnationDecision.StoreState {
    /// The store as a start finds it; one in which no life has begun is as good as none.
    /// - Parameter transaction: The store.
    /// - Throws: What the store throws.
    package init(_ transaction: some NodeTransaction) throws {
        guard let incarnation = try transaction.incarnation() else {
            self = .missing
            return
        }
        self = .present(incarnation: incarnation, commitNumber: try transaction.commitNumber())
    }
}
