import Records
import ReplicaBehaviour
import Wire

/// A store that knows the test zone and nothing else.
func emptyReplica() throws -> MemoryReplica {
    var replica = MemoryReplica()
    try replica.createTestZone()
    return replica
}

/// Everything a replica would show or serve, to see that a refused run left no trace.
struct Trace: Equatable {
    var logs: [LogRow]
    var records: [RecordRow]
    var zone: ZoneRow?
    var changeCount: Int

    init(_ replica: MemoryReplica) throws {
        logs = try replica.logs(zone: TestZone.id)
        records = replica.allRecords(zone: TestZone.id)
        zone = try replica.zone(TestZone.id)
        changeCount = replica.changes.count
    }
}

extension MemoryReplica {
    /// The states of all operations of a log, by counter.
    func states(_ key: LogKey) throws -> [OperationState] {
        try items(key, from: 0, to: .max).compactMap {
            if case .operation(let stored) = $0.content { stored.state } else { nil }
        }
    }

    /// Returns the content of each place of a log: `o` for an operation, or a gap's number of leaves.
    func shape(_ key: LogKey) throws -> [String] {
        try items(key, from: 0, to: .max).map {
            switch $0.content {
            case .operation: "o"
            case .gap(let gap): "\(gap.leafCount)"
            }
        }
    }
}

/// The error a body throws, as a `ReplicaError`.
func replicaError(_ body: () throws -> Void) -> ReplicaError? {
    do {
        try body()
        return nil
    } catch {
        return error as? ReplicaError
    }
}
