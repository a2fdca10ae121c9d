import Capabilities
import Logging
import Queries
import Records
import Sync

/// The store as one caller of the interface uses it, with errors for programs.
struct CallerStore: Sendable {
    let storage: any StoragePort
    let commits: CommitQueue
    let commitService: CommitService
    /// The part of the store that the caller sees.
    var scope = ZoneScope.everything

    /// The keys and the account of this device.
    var identity: NodeIdentity { commitService.identity }
    /// The committer of this moment; see ``CommitService/committer``.
    var committer: Committer { commitService.committer }
    /// The zones of the scope.
    var zones: VisibleZones { VisibleZones(scope: scope, commitService: commitService) }
    /// The most that the caller may store.
    var limit: StorageLimit { StorageLimit(zones: zones) }

    /// Runs a read and turns its errors into those for programs.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any NodeTransaction) throws -> Value
    ) async throws(NodeError) -> Value {
        do {
            return try await storage.read(body)
        } catch {
            throw told(error)
        }
    }

    /// Runs a read of few rows, and turns its errors into those for programs.
    func readBriefly<Value: Sendable>(
        _ body: @escaping @Sendable (any NodeTransaction) throws -> Value
    ) async throws(NodeError) -> Value {
        do {
            return try await storage.readBriefly(body)
        } catch {
            throw told(error)
        }
    }

    /// Runs a write, announces it to the listeners, and turns its errors into those for programs.
    /// - Parameter body: The change to make in the transaction.
    /// - Returns: The reply of the body; its change is durable.
    /// - Throws: `NodeError` for programs.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (inout any NodeTransaction) throws -> Changed<Value>
    ) async throws(NodeError) -> Value {
        guard identity.mayWrite else { throw .readOnly }
        return try await keep(body) { [commitService] in commitService.announce($0.notice) }.reply
    }

    /// Runs a write in one zone, as ``write(_:)`` does.
    /// - Parameters:
    ///   - reference: The zone; see ``ZoneReference``.
    ///   - body: The change to make in the transaction.
    /// - Returns: The reply of the body.
    /// - Throws: `NodeError` for programs.
    func write<Value: Sendable>(
        in reference: String,
        _ body: @escaping @Sendable (ZoneRow, inout any NodeTransaction) throws -> Changed<Value>
    ) async throws(NodeError) -> Value {
        try await write { transaction in try body(try zones.row(of: reference, in: transaction), &transaction) }
    }

    /// Runs a change that is this device's own, which one that may not write makes as well.
    /// - Parameters:
    ///   - body: The change to make in the transaction.
    ///   - whenDurable: As of ``CommitQueue/perform(_:whenDurable:)``.
    /// - Returns: The value of the body; its change is durable.
    /// - Throws: `NodeError` for programs.
    func keep<Value: Sendable>(
        _ body: @escaping StorageJob<Value>,
        whenDurable: @escaping @Sendable (Value) -> Void = { _ in }
    ) async throws(NodeError) -> Value {
        do {
            return try await commits.perform(body, whenDurable: whenDurable)
        } catch {
            commitService.warn(of: error)
            throw told(error)
        }
    }

    /// Returns the error for programs; the detail goes to the log.
    func told(_ error: any Error) -> NodeError {
        if case ReplicaError.ownLogClosed = error, identity.isRemoved { return PairingRefusal.removedDevice }
        if let told = NodeError(told: error) { return told }
        switch error {
        // A failure of the store, like the errors that it throws itself.
        case ReplicaError.damaged: break
        case let error as ReplicaError:
            commitService.logger.notice("replica refused", metadata: ["error": "\(error)"])
            return NodeError(error)
        default: break
        }
        commitService.logger.error("storage failed", metadata: ["error": "\(error)"])
        return NodeError(.storageFailed, "The storage failed; nothing was written.", fix: "See the daemon's log.")
    }
}

extension NodeError {
    /// The error on a device with a role other than full.
    static let readOnly = NodeError(
        .deviceReadOnly,
        "This device may read, not write: its role is not full.",
        fix: "Write on a device with the role full; `kairan device ls` lists them."
    )

    /// The error for programs of a failed job.
    /// - Returns: `nil` for a failure of the store or of the program.
    fileprivate init?(told error: any Error) {
        switch error {
        case let error as NodeError:
            self = error
        case let error as StorageError where error.code == .diskFull: self = .diskFull
        case let error as PrivateFile.Failure where error.isDiskFull: self = .diskFull
        case let error as StorageError where error.code == .displaced:
            self.init(
                .storageFailed,
                "The state directory was removed or replaced under the daemon; nothing was written.",
                fix: "See `kairan status`."
            )
        case let error as StorageError where error.code == .payloadsMissing:
            self.init(
                .storageFailed,
                "The contents of messages and assets cannot be reached; nothing was written.",
                fix: "See `kairan status`."
            )
        case let error as StorageError where error.code == .closed:
            self.init(.notReady, "The daemon is stopping.", fix: "Try again.")
        case is CancellationError:
            self.init(.notReady, "The request was cancelled.", fix: "Try again.")
        case QueryRefusal.textIndexMissing(let field):
            self.init(
                .queryNotIndexed,
                "The text of \(field.text) cannot be searched: the type has no text index on it.",
                fix:
                    "Request one: `kairan index add CONTAINER TYPE FIELD --text`, or PUT /v1/containers/{container}/indexes.",
                facts: [.field(field.text)]
            )
        case let error as CommitError: self.init(error)
        case let error as InviteError: self.init(error)
        case let error as SchemaRefusal: self.init(error)
        case let error as CapabilityError: self.init(error)
        default: return nil
        }
    }

    private static let diskFull = NodeError(
        .diskFull,
        "No space is left on the disk.",
        fix: "Make space; nothing was written."
    )
}
