import Capabilities
import Records
import Synchronization
import Wire

/// The control logs of zones as last resolved, kept between transactions so that the cost of one more operation is
/// that of its changes.
///
/// The kept state decides nothing: at each use the store has to continue it (``ZoneControls``), and the result equals
/// that of reading and resolving everything. It ends with the process.
package final class ControlMemory: Sendable {
    /// One zone.
    private final class Place: Sendable {
        let kept = Mutex(Kept())
    }

    /// A zone as last resolved, and as an older snapshot shows it.
    ///
    /// While a transaction writes, readers have the snapshot from before it, and each would undo the other's work.
    private struct Kept: Sendable {
        /// The number of consecutive times that a store may hold less than the newest: then it was rolled back, and
        /// may never continue it.
        private static let missCountMax = 64

        private var newest: ZoneControls?
        private var older: ZoneControls?
        private var missCount = 0

        /// The number of operations kept.
        var count: Int { (newest?.resolution.count ?? 0) + (older?.resolution.count ?? 0) }

        /// Continues the kept state.
        /// - Parameters:
        ///   - follow: Continues one state.
        ///   - make: Reads the state from the beginning.
        /// - Returns: The state of the store, and the work that it took.
        /// - Throws: Any error of these functions; then the kept state is gone.
        mutating func next(
            follow: (inout ZoneControls) throws -> ZoneControls.Continuation,
            make: () throws -> ZoneControls
        ) throws -> (controls: ZoneControls, work: Work) {
            // A state whose continuation fails is not kept.
            if let found = try Self.next(&newest, follow) {
                missCount = 0
                return found
            }
            let found: (controls: ZoneControls, work: Work)
            if let followed = try Self.next(&older, follow) {
                found = followed
            } else {
                let made = try make()
                found = (made, made.work)
            }
            missCount += 1
            if newest == nil || missCount > Self.missCountMax {
                (newest, older, missCount) = (found.controls, nil, 0)
            } else {
                older = found.controls
            }
            return found
        }

        private static func next(
            _ kept: inout ZoneControls?,
            _ follow: (inout ZoneControls) throws -> ZoneControls.Continuation
        ) throws -> (controls: ZoneControls, work: Work)? {
            // It is taken out, since a value with two owners is copied when it changes.
            guard var old = kept.take() else { return nil }
            let before = old.work
            switch try follow(&old) {
            case .followed:
                kept = old
                return (old, old.work - before)
            case .behind:
                kept = old
                return nil
            case .parted: return nil
            }
        }
    }

    private struct Places {
        var all: [ZoneID: (place: Place, count: Int, lastUse: UInt64)] = [:]
        var useCount: UInt64 = 0
        var work = Work()
    }

    /// The amount of work, for measurements and tests.
    package struct Work: Hashable, Sendable {
        /// Operations that were read from a store, decoded and hashed.
        package var readCount: UInt64 = 0
        /// Operations that were decided; one counts each time that it is.
        package var decidedCount: UInt64 = 0
        /// Operations that were entered in the graph of a zone's epochs; one counts each time that it is.
        package var enteredCount: UInt64 = 0

        fileprivate static func - (left: Work, right: Work) -> Work {
            Work(
                readCount: left.readCount &- right.readCount,
                decidedCount: left.decidedCount &- right.decidedCount,
                enteredCount: left.enteredCount &- right.enteredCount
            )
        }
    }

    /// The number of operations kept, of all zones together; a zone with more is read each time.
    package static let operationCountMax = 262_144

    private let places = Mutex(Places())
    private let isChecked: Bool
    private let limit: Int

    /// Makes an empty one.
    /// - Parameters:
    ///   - isChecked: Whether everything is resolved from nothing as well, and has to be the same: for the simulator.
    ///   - limit: The number of operations kept.
    package init(isChecked: Bool = false, limit: Int = ControlMemory.operationCountMax) {
        (self.isChecked, self.limit) = (isChecked, limit)
    }

    /// The work up to now.
    package var work: Work { places.withLock(\.work) }

    /// Uses the control log of a zone, as a store holds it.
    func use<Value: Sendable>(
        _ zone: ZoneRow,
        _ directory: ZoneDirectory,
        verify: @Sendable (SignedCapability) -> VerifiedCapability?,
        in transaction: some NodeTransaction,
        _ body: (ZoneControls, [LogRow]) throws -> Value
    ) throws -> Value {
        let rows = try transaction.logs(zone: zone.id).filter { row in
            row.key.lane == .control && ControlReader(row).end(in: transaction) > 0
        }
        let place = place(of: zone.id)
        return try place.kept.withLock { kept in
            let (controls, work) = try kept.next {
                try $0.follow(zone, rows, directory, verify: verify, in: transaction)
            } make: {
                try ZoneControls(zone, rows, directory, verify: verify, in: transaction)
            }
            if isChecked, work != Work() {
                let anew = try ZoneControls(zone, rows, directory, verify: verify, in: transaction)
                precondition(
                    anew.resolution.state == controls.resolution.state,
                    "the kept state of a control log differs from the state by its operations"
                )
                precondition(
                    anew.graph == controls.graph,
                    "the kept graph of a zone's epochs differs from the graph by its control log"
                )
            }
            if !note(work, zone: zone.id, count: kept.count) { kept = Kept() }
            return try body(controls, rows)
        }
    }

    private func place(of zone: ZoneID) -> Place {
        places.withLock { places in
            places.useCount += 1
            let place = places.all[zone]?.place ?? Place()
            places.all[zone] = (place, places.all[zone]?.count ?? 0, places.useCount)
            return place
        }
    }

    /// Notes how large a zone is now; those that were used least recently make room.
    /// - Returns: Whether there is room for it.
    private func note(_ work: Work, zone: ZoneID, count: Int) -> Bool {
        places.withLock { places in
            places.work.readCount &+= work.readCount
            places.work.decidedCount &+= work.decidedCount
            places.work.enteredCount &+= work.enteredCount
            // One that is too large by itself takes the place of no other.
            guard count <= limit else {
                places.all[zone] = nil
                return false
            }
            guard places.all[zone]?.count != count else { return true }
            places.all[zone]?.count = count
            var sum = places.all.values.reduce(0) { $0 + $1.count }
            for (other, kept) in places.all.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
                guard sum > limit else { break }
                sum -= kept.count
                // Its user has it still.
                places.all[other] = nil
                if other == zone { return false }
            }
            return true
        }
    }
}

extension ZoneControls {
    fileprivate var work: ControlMemory.Work {
        ControlMemory.Work(readCount: readCount, decidedCount: resolution.decidedCount, enteredCount: enteredCount)
    }
}
