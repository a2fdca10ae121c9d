package import Queries
import Records
import Wire

/// The indexes of this device: those that schemas ask for, and those that programs have asked for on this device.
package struct FieldIndexes: Sendable {
    /// The maximum number of indexes of one container: each costs time with every write.
    package static let countMax = 64

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// The containers whose indexes are not those that they should have.
    /// - Parameter transaction: The store.
    /// - Returns: Their names, ascending.
    /// - Throws: Any error of the store.
    /// - Complexity: O(zones), and the schemas of their containers.
    package func outdatedContainers(in transaction: some NodeTransaction) throws -> [String] {
        try indexedZones(in: transaction).keys.sorted().map(\.string).filter { container in
            let known = try transaction.fieldIndexes(container: container).map(\.index)
            return try Set(known) != Set(wantedIndexes(of: container, in: transaction))
        }
    }

    /// Gives containers the indexes that they should have; they are built later, a little at a time.
    /// - Parameters:
    ///   - containers: Their names.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
    package func updateIndexes(of containers: [String], in transaction: inout some NodeTransaction) throws {
        for container in containers {
            if try transaction.requestedIndexes(container: container) == nil {
                // From now on it is known which of them a program has asked for.
                let known = try transaction.fieldIndexes(container: container).map(\.index)
                try transaction.setRequestedIndexes(known, container: container)
            }
            let wanted = try wantedIndexes(of: container, in: transaction)
            try transaction.setFieldIndexes(wanted, container: container)
        }
    }

    /// Remembers the indexes that programs ask for on this device, whatever schemas say, and updates the container's.
    /// - Parameters:
    ///   - indexes: All of them.
    ///   - container: The container.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
    package func ask(
        for indexes: [FieldIndex],
        container: String,
        in transaction: inout some NodeTransaction
    ) throws {
        try transaction.setRequestedIndexes(indexes, container: container)
        try updateIndexes(of: [container], in: &transaction)
    }

    /// Returns the indexes of a container, and whether its schemas ask for them.
    /// - Parameters:
    ///   - container: The container.
    ///   - transaction: The store.
    /// - Returns: Their status.
    /// - Throws: Any error of the store.
    package func all(
        of container: String,
        in transaction: some NodeTransaction
    ) throws -> [FieldIndexStatus] {
        let declared = Set(try declaredIndexes(of: container, in: transaction))
        return try transaction.fieldIndexes(container: container).map { status in
            FieldIndexStatus(
                index: status.index,
                isReady: status.isReady,
                isDeclared: declared.contains(status.index)
            )
        }
    }

    /// Returns the indexes that a container should have: first those asked for here, then those of the account's
    /// schemas, then those of the schemas in force in the zones; no more than a container may have.
    private func wantedIndexes(
        of container: String,
        in transaction: some NodeTransaction
    ) throws -> [FieldIndex] {
        let asked =
            try transaction.requestedIndexes(container: container)
            ?? transaction.fieldIndexes(container: container).map(\.index)
        var seen: Set<FieldIndex> = []
        let wanted = try (asked + declaredIndexes(of: container, in: transaction)).filter { seen.insert($0).inserted }
        return Array(wanted.prefix(Self.countMax))
    }

    private func declaredIndexes(
        of container: String,
        in transaction: some NodeTransaction
    ) throws -> [FieldIndex] {
        let schemas = try Schemas(committer).all(of: container, in: transaction)
        var indexes = schemas.development.indexes + (schemas.production?.indexes ?? [])
        // The schemas of a container's zones are mostly the same.
        var read: Set<[UInt8]> = []
        for zone in try indexedZones(in: transaction)[BytewiseString(container)] ?? [] {
            guard read.insert(zone.production).inserted, let production = try zone.productionSchema() else { continue }
            indexes += production.schema.indexes
        }
        return indexes
    }

    /// The zones whose records are queried, by container.
    private func indexedZones(in transaction: some NodeTransaction) throws -> [BytewiseString: [ZoneRow]] {
        let zones = try transaction.zones().filter { !$0.isInternal && !$0.isDeleted }
        return Dictionary(grouping: zones.sorted { $0.id < $1.id }) { BytewiseString($0.genesis.container) }
    }
}

extension CommitNotice {
    /// Whether a schema may ask for other indexes now: the account's zone was written, or a zone was changed.
    package var mayChangeSchemas: Bool {
        zones.contains { zone in
            zone.snapshot.genesis.isInternal || zone.before.keys.contains { $0.lane == .control }
        }
    }
}
