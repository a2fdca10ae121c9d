import Capabilities
import Identity
import Logging
import Queries
import Records
import Sodium
import Sync
import Wire

/// A running node: answers programs from durable state and synchronises with its peers.
///
/// It is put together by `Node.start`, gets its ways to the outside by `connect`, and works while `run()` does.
package final class Node: Sendable {
    /// The product's version.
    package static let version = "0.1.0"

    let identity: NodeIdentity
    let storage: any StoragePort
    let commits: CommitQueue
    let replica: ReplicaService
    let sync: SyncService
    let hub: EventHub
    let indexing: IndexBuilder
    let inbox: InboxService
    let mail: MailService
    /// Keeps parcels for others; `nil` = this node does not.
    let relay: RelayService?
    let relayAddresses: @Sendable () -> [String]
    let clock: NodeClock
    let measures: NodeMetrics
    let logger: Logger
    let listeningPort: @Sendable () -> UInt16?
    let machine: any MachinePort
    /// The part of the node that the holder of this value may see.
    let scope: ZoneScope

    init(
        identity: NodeIdentity,
        storage: any StoragePort,
        commits: CommitQueue,
        replica: ReplicaService,
        sync: SyncService,
        hub: EventHub,
        indexing: IndexBuilder,
        inbox: InboxService,
        mail: MailService,
        relay: RelayService?,
        relayAddresses: @escaping @Sendable () -> [String],
        clock: NodeClock,
        measures: NodeMetrics,
        logger: Logger,
        listeningPort: @escaping @Sendable () -> UInt16?,
        machine: any MachinePort,
        scope: ZoneScope = .everything
    ) {
        self.identity = identity
        self.storage = storage
        self.commits = commits
        self.replica = replica
        self.sync = sync
        self.hub = hub
        self.indexing = indexing
        self.inbox = inbox
        self.mail = mail
        self.relay = relay
        self.relayAddresses = relayAddresses
        self.clock = clock
        self.measures = measures
        self.logger = logger
        self.listeningPort = listeningPort
        self.machine = machine
        self.scope = scope
    }

    /// Finds the zone that a program means.
    /// - Parameters:
    ///   - reference: See ``ZoneReference``.
    ///   - transaction: The store.
    /// - Returns: The zone's row; it is not deleted.
    /// - Throws: `NodeError` `zoneUnknown`, `zoneAmbiguous`, `zoneDeleted`.
    func row(of reference: String, in transaction: any NodeTransaction) throws -> ZoneRow {
        let wanted = ZoneReference(reference)
        let rows = try shown(wanted.candidates(in: transaction), in: transaction)
        let found = wanted.zones(among: rows, of: identity.account)
        guard let row = found.first else {
            if let end = try end(of: wanted, in: transaction) { throw NodeError(end, reference: reference) }
            let foreign = wanted.foreignZones(among: rows, of: identity.account)
            throw NodeError.zoneUnknown(reference, foreign: foreign)
        }
        guard found.count == 1 else { throw NodeError.zoneAmbiguous(reference, found, of: identity.account) }
        if let end = try ZoneEnd(row, replica.committer, transaction) { throw NodeError(end, reference: reference) }
        return row
    }

    /// Why a zone that is named by its id is not shown; `nil` when it never was, for this caller.
    private func end(of reference: ZoneReference, in transaction: any NodeTransaction) throws -> ZoneEnd? {
        guard case .id(let id) = reference, let row = try transaction.zone(id), !row.isInternal,
            scope.contains(container: row.genesis.container)
        else { return nil }
        return try ZoneEnd(row, replica.committer, transaction)
    }

    /// Runs a read and turns its errors into those for programs.
    func reading<Value: Sendable>(
        _ body: @escaping @Sendable (any NodeTransaction) throws -> Value
    ) async throws(NodeError) -> Value {
        do {
            return try await storage.read(body)
        } catch {
            throw told(error)
        }
    }

    /// Runs a write, announces it to the listeners, and turns its errors into those for programs.
    /// - Parameter body: The change to make in the transaction.
    /// - Returns: The reply of the body; its change is durable.
    /// - Throws: `NodeError` for programs.
    func writing<Value: Sendable>(
        _ body: @escaping @Sendable (inout any NodeTransaction) throws -> Changed<Value>
    ) async throws(NodeError) -> Value {
        guard identity.mayWrite else { throw Self.readOnly }
        do {
            return try await commits.perform(body) { [replica] in replica.announce($0.notice) }.reply
        } catch {
            replica.warn(of: error)
            throw told(error)
        }
    }

    /// The error on a device with a role other than full.
    static let readOnly = NodeError(
        .deviceReadOnly,
        "This device may read, not write: its role is not full.",
        fix: "Write on a device with the role full; `kairan device ls` lists them."
    )

    /// Returns the error for programs; the detail goes to the log.
    func told(_ error: any Error) -> NodeError {
        switch error {
        case let error as NodeError:
            return error
        case let error as StorageError where error.code == .diskFull:
            return NodeError(.diskFull, "No space is left on the disk.", fix: "Make space; nothing was written.")
        case let error as PrivateFile.Failure where error.isDiskFull:
            return NodeError(.diskFull, "No space is left on the disk.", fix: "Make space; nothing was written.")
        case let error as StorageError where error.code == .displaced:
            return NodeError(
                .storageFailed,
                "The state directory was removed or replaced under the daemon; nothing was written.",
                fix: "See `kairan status`."
            )
        case let error as StorageError where error.code == .closed:
            return NodeError(.notReady, "The daemon is stopping.", fix: "Try again.")
        case is CancellationError:
            return NodeError(.notReady, "The request was cancelled.", fix: "Try again.")
        case ReplicaError.ownLogClosed where identity.isRemoved:
            return PairingRefusal.removedDevice
        case QueryRefusal.textIndexMissing(let field):
            return NodeError(
                .queryNotIndexed,
                "The text of \(field.text) cannot be searched: the type has no text index on it.",
                fix:
                    "Request one: `kairan index add CONTAINER TYPE FIELD --text`, or PUT /v1/containers/{container}/indexes.",
                facts: [.field(field.text)]
            )
        case let error as CommitError:
            if let told = NodeError(error) { return told }
        case let error as InviteError:
            if let told = NodeError(error) { return told }
        case let error as SchemaRefusal:
            return NodeError(error)
        case let error as CapabilityError:
            if let told = NodeError(error) { return told }
        // A failure of the store, like the errors that it throws itself.
        case ReplicaError.damaged: break
        case let error as ReplicaError:
            logger.notice("replica refused", metadata: ["error": "\(error)"])
            return NodeError(error)
        default: break
        }
        logger.error("storage failed", metadata: ["error": "\(error)"])
        return NodeError(.storageFailed, "The storage failed; nothing was written.", fix: "See the daemon's log.")
    }
}
