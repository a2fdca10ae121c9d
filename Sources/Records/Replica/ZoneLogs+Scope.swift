import Wire

extension ZoneLogs {
    /// Whether an operation is as effective as its log: it lies within its author's right, and breaks no schema that
    /// its author had seen.
    /// - Parameters:
    ///   - header: The operation's header.
    ///   - body: Its body; `nil` for one that cannot be read here: then the header decides, until it can.
    ///   - row: Its log.
    /// - Returns: False for an operation that is held but has no effect.
    func allows(_ header: OperationHeader, _ body: RecordBody?, in row: LogRow) -> Bool {
        guard isWithinRight(header, body, in: row) else { return false }
        guard let body else { return true }
        return violations(header, body, by: row.key.actor).isEmpty
    }

    /// The rules of the schema in force that an operation breaks.
    ///
    /// A function of the operation and of the set of effective promotions. Promotions only add up, so an operation
    /// that was allowed when it was written is allowed by all of them.
    func violations(_ header: OperationHeader, _ body: RecordBody, by actor: ActorID) -> [SchemaViolation] {
        production?.violations(of: header, body, by: actor) ?? []
    }

    /// Whether an operation lies within its author's right.
    ///
    /// A function of the operation, its log's right and the rights of the logs that its vector names, all of which are
    /// known for good once it can be applied; so every replica decides alike, whatever the order of arrival.
    /// - Parameters:
    ///   - header: The operation's header.
    ///   - body: Its body; `nil` for one that cannot be read here.
    ///   - row: Its log.
    /// - Returns: True if its right makes it effective.
    func isWithinRight(_ header: OperationHeader, _ body: RecordBody?, in row: LogRow) -> Bool {
        switch row.role {
        case .owner: true
        case .participant(let scope): allows(header, body, within: scope, by: row.key.actor)
        case .unknown, .ended: false
        }
    }

    /// Whether a stored operation is as effective as its log.
    /// - Throws: Any error of decoding its body, which is read only where it matters.
    func allows(_ stored: StoredOperation, _ keyring: EpochKeyring) throws -> Bool {
        guard let row = self[LogKey(zone: zone.id, actor: stored.actor, lane: .data)] else { return false }
        let header = stored.operation.header
        if row.role == .owner, header.epoch.isZero, !(production?.has(header.controlHeads) ?? false) { return true }
        switch try reading(stored, in: row, keyring) {
        case .opened(let opened): return allows(header, opened.body, in: row)
        case .locked: return allows(header, nil, in: row)
        case .unsound: return false
        }
    }

    /// Whether an operation lies within a scope.
    ///
    /// An author that may only create records supersedes nothing of other accounts: no visible state, no tombstone,
    /// and no other account's record under a name of its own.
    func allows(_ header: OperationHeader, _ body: RecordBody?, within scope: WriteScope, by author: ActorID) -> Bool {
        guard scope.level >= .append else { return false }
        if let body, !scope.caveats.allows(type: body.type) || !scope.caveats.allows(name: body.name) { return false }
        return scope.level >= .write
            || header.vector.entries.allSatisfy { dot in
                guard dot.actor != author else { return true }
                let row = self[LogKey(zone: zone.id, actor: dot.actor, lane: .data)]
                guard case .participant(let other) = row?.role else { return false }
                return other.account == scope.account
            }
    }
}
