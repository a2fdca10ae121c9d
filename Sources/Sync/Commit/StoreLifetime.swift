package import Identity
import Records
package import Wire

/// The store's lifetime at a start: continued, or a new one when the store is not in its former state.
package struct StoreLifetime: Sendable {
    /// The lifetime under which the store writes from now on.
    package let incarnation: Incarnation
    /// The number of the commit of this start.
    package let commitNumber: UInt64
    /// The decision about the store as it was found.
    package let decision: IncarnationDecision

    /// Whether the store may lack data that this device once had.
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
    /// - Throws: Any error of the store.
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

    /// Begins a start of the node by a decision: the first transaction of all.
    /// - Parameters:
    ///   - decision: The decision, made about this very store.
    ///   - random: For a new lifetime.
    ///   - transaction: The store.
    /// - Returns: The lifetime; the sentinel is to be written with it once it is durable.
    /// - Throws: Any error of the store.
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
        if Assertions.areActive {
            let before = try transaction.incarnation()
            assert(before != fresh, "a new lifetime of a store has a name of its own")
        }
        try transaction.save(fresh)
        return StoreLifetime(incarnation: fresh, commitNumber: number, decision: decision)
    }
}

extension IncarnationDecision.StoreState {
    /// The state of the store at a start; a store in which no lifetime has begun is treated as missing.
    /// - Parameter transaction: The store.
    /// - Throws: Any error of the store.
    package init(_ transaction: some NodeTransaction) throws {
        guard let incarnation = try transaction.incarnation() else {
            self = .missing
            return
        }
        self = .present(incarnation: incarnation, commitNumber: try transaction.commitNumber())
    }
}
