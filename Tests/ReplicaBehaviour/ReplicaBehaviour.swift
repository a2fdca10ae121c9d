package import Records
import Sodium
import Wire

/// The promises of every store of a replica, on any medium.
///
/// Each case is a sentence and a check on an empty store; the tests of each store run them all:
/// `@Test(arguments: ReplicaBehaviour.allCases)` and `try behaviour.check(in: &transaction)`.
package enum ReplicaBehaviour: String, CaseIterable, Sendable {
    case zonesAreReadBack = "zones are read back as they were saved, in order"
    case logsAreReadBack = "logs are read back as they were saved, in order"
    case headsAreFoundBySize = "heads are found above and at or below a size, and deleted by size"
    case itemsAreFoundByLeaf = "items are found by the leaves they cover, gaps also from within"
    case gapsReplaceLeaves = "gaps take the place of leaves, and a log's end can be taken back"
    case operationsAreFoundByRecord = "operations are found by record and state, in order"
    case summariesPageAtRecords = "summaries page over all records and never split one"
    case recordsAreReadBack = "records are read back as they were saved"
    case anchorsAreFound = "records are found by those with which they are deleted, until they are not"
    case limitsAreKept = "what is as large as a reader takes is read back, and what is larger is refused"
    case settingsAreReadBack = "clock, incarnation and commit number are read back"
    case unknownThingsAreAbsent = "what was never saved is absent, not an error"
    case aCommittedWriteIsReadBack = "a committed write is read back"
    case aConflictKeepsBothValues = "a conflict keeps both values and is resolved by naming the version"
    case aRunIsTakenInOnce = "a run is taken in once"
    case aWaitingRunIsAppliedLater = "a run that waits is applied when what it waits for comes"
    case aCutQuarantines = "a cut quarantines what lies above it"
    case aCheckpointPrunes = "a checkpoint prunes, and a fresh replica starts from what is left"

    /// A result of a check that differs from the promise.
    package struct Failure: Error, CustomStringConvertible {
        /// The promise and the place.
        package let description: String
    }

    /// Runs the check.
    /// - Parameter store: A transaction of an empty store.
    /// - Throws: `Failure`, or an error of the store.
    package func check(in store: inout some ReplicaTransaction) throws {
        switch self {
        case .zonesAreReadBack: try checkZones(&store)
        case .logsAreReadBack: try checkLogs(&store)
        case .headsAreFoundBySize: try checkHeads(&store)
        case .itemsAreFoundByLeaf: try checkItems(&store)
        case .gapsReplaceLeaves: try checkGaps(&store)
        case .operationsAreFoundByRecord: try checkOperations(&store)
        case .summariesPageAtRecords: try checkSummaries(&store)
        case .recordsAreReadBack: try checkRecords(&store)
        case .anchorsAreFound: try checkAnchors(&store)
        case .limitsAreKept: try checkLimits(&store)
        case .settingsAreReadBack: try checkSettings(&store)
        case .unknownThingsAreAbsent: try checkAbsence(store)
        case .aCommittedWriteIsReadBack: try checkCommit(&store)
        case .aConflictKeepsBothValues: try checkConflict(&store)
        case .aRunIsTakenInOnce: try checkRun(&store)
        case .aWaitingRunIsAppliedLater: try checkWaiting(&store)
        case .aCutQuarantines: try checkCut(&store)
        case .aCheckpointPrunes: try checkCheckpoint(&store)
        }
    }

    /// Fails unless a condition holds.
    func require(_ condition: Bool, line: Int = #line) throws {
        guard condition else { throw Failure(description: "\(rawValue) (line \(line))") }
    }

    /// Returns a value that must be there.
    func required<Value>(_ value: Value?, line: Int = #line) throws -> Value {
        guard let value else { throw Failure(description: "\(rawValue): nothing (line \(line))") }
        return value
    }
}
