package import Wire

/// The number of operations that one control log of a zone may have.
///
/// A control log ends at the bound of the right that it is written under, as if it were cut there: operations behind
/// it are never effective, are not announced, and are not waited for. The right is the same for the whole log, so
/// replicas agree whatever arrives first.
///
/// An author reserves the last eighth of its own log for keys and for operations that revoke rights, and the last
/// sixteenth for revocations alone. It asks for keys only in the first quarter, since others can lie to it as often
/// as they like. Readers do not enforce these limits: they protect the author.
package struct ControlBudget: Hashable, Sendable {
    /// The maximum number of a log's operations that are effective.
    package let operationCount: UInt64
    private let byteCount: UInt64

    /// The maximum sizes of logs of accounts that rule the zone, and of others.
    package struct Bounds: Hashable, Sendable {
        let rulersCount: UInt64
        /// The maximum number of a control log's operations that may be effective before its right is known, or
        /// whatever it is.
        package let membersCount: UInt64
        let byteCount: UInt64

        /// States bounds.
        package init(rulersCount: UInt64, membersCount: UInt64, byteCount: UInt64) {
            (self.rulersCount, self.membersCount, self.byteCount) = (rulersCount, membersCount, byteCount)
        }

        /// The bounds of the protocol.
        package static let ofProtocol = Bounds(
            rulersCount: Limits.rulersControlCountMax,
            membersCount: Limits.membersControlCountMax,
            byteCount: Limits.controlByteCountMax
        )
    }

    /// The budget of logs that are written in a role.
    /// - Parameters:
    ///   - role: The role.
    ///   - bounds: The bounds, as ``ReplicaTransaction/controlBounds`` has them.
    package init(of role: LogRole, within bounds: Bounds) {
        operationCount = role.present.rulesZone ? bounds.rulersCount : bounds.membersCount
        byteCount = bounds.byteCount
    }

    /// Whether the author of a log may append an operation to it.
    /// - Parameters:
    ///   - body: The operation's content.
    ///   - byteCount: The operation's size in bytes.
    ///   - row: The log.
    /// - Returns: False if the log is full, or its remaining room is reserved for other operations.
    package func admits(_ body: ControlBody, byteCount: UInt64, behind row: LogRow) -> Bool {
        let isKept = body.takesRightsAway
        func limit(_ whole: UInt64) -> UInt64 {
            if case .keyRequest = body { return whole / 4 }
            return isKept ? whole : body.suppliesKeys ? whole - whole / 16 : whole - whole / 8
        }
        let (count, bytes) = (row.size &+ 1, row.byteCount &+ byteCount)
        return count <= limit(operationCount) && bytes <= limit(self.byteCount)
    }
}

extension ControlBudget {
    /// Whether the author of a log makes a checkpoint now, asked before anything is computed for one.
    ///
    /// A zone with fast writes is due for a checkpoint many times a day, which would fill the log within weeks.
    /// Checkpoints beyond one a day are limited to the first quarter of the log: the rest lasts more than ten years
    /// for daily checkpoints and everything else.
    /// - Parameters:
    ///   - isDaily: Whether the last one was made a day ago or more.
    ///   - size: The number of operations in the log.
    /// - Returns: False where the rest of the log is kept for other operations.
    package func admitsCheckpoint(isDaily: Bool, behind size: UInt64) -> Bool {
        size < (isDaily ? operationCount - operationCount / 8 : operationCount / 4)
    }

    /// Whether a log is not full to the last operation.
    package func hasRoom(behind row: LogRow) -> Bool {
        row.size < operationCount && row.byteCount < byteCount
    }
}

extension ControlBody {
    /// Whether it ends rights, or states how much of the logs under them is effective.
    fileprivate var takesRightsAway: Bool {
        switch self {
        case .revoke, .leave, .raiseCut, .deviceCuts, .zoneDeletion: true
        case .publicAccess(let access): access == .none
        case .genesis, .checkpoint, .grant, .transfer, .schema, .epoch, .delivery, .epochAgain, .keyRequest,
            .transferOffer, .transferAnswer, .unknown:
            false
        }
    }

    /// Whether it carries keys of the zone: a removed device still has the present one.
    fileprivate var suppliesKeys: Bool {
        switch self {
        case .epoch, .delivery, .epochAgain: true
        case .genesis, .checkpoint, .zoneDeletion, .grant, .revoke, .transfer, .leave, .raiseCut, .publicAccess,
            .schema, .deviceCuts, .keyRequest, .transferOffer, .transferAnswer, .unknown:
            false
        }
    }
}

extension LogRow {
    /// The size at which a log ends by its bound; `.max` for a data log.
    func budgetLimit(_ bounds: ControlBudget.Bounds) -> UInt64 {
        guard key.lane == .control else { return .max }
        return ControlBudget(of: role, within: bounds).operationCount
    }
}

extension ControlBudget {
    /// Whether the author of a control log has room in it for an operation about the zone's keys.
    /// - Throws: Any error of the store.
    package static func hasRoomForKeys(_ key: LogKey, in transaction: some ReplicaTransaction) throws -> Bool {
        guard let row = try transaction.log(key) else { return true }
        return ControlBudget(of: row.role, within: transaction.controlBounds)
            .admits(.epoch([]), byteCount: 0, behind: row)
    }
}
