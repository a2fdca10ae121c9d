package import Wire

/// The room for logs in one lane of a zone.
///
/// A head names every other log of its lane, and a version vector names at most ``Limits/actorCountMax`` of them. So the number of
/// logs is bounded where a log begins: at its author, and at each replica that takes its first run. Existing logs always go on.
///
/// Two bounds:
///
/// - Of the incarnations of one device that write under one right, those with the
///   ``ReplicaLimits/incarnationCountMax`` smallest actors are effective. The others are *surplus* and end at zero.
///   The smallest elements of a union are among the smallest of its parts, so replicas agree without passing a
///   surplus log on, whatever the order of arrival.
/// - The lane holds at most ``Limits/actorCountMax`` logs with an effective part. The last
///   ``ReplicaLimits/reservedLogCount`` places are for logs of accounts that rule the zone, and for logs that operations
///   held here wait for.
package struct LaneRoom {
    /// The reason why a log does not begin.
    package enum Refusal: Hashable, Sendable {
        /// Its device writes in as many incarnations as one may.
        case tooManyIncarnations
        /// The lane has as many logs as it may.
        case tooManyLogs
        /// As many logs of its device are held whose rights are not known; ``LaneRoom`` does not count these.
        case tooManyUnknownRights
    }

    /// The author of logs that compete with each other.
    private struct Writer: Hashable {
        let device: DeviceID
        let right: Hash
    }

    /// The logs that are effective unless they are surplus, by writer, ascending.
    private var candidates: [Writer: [ActorID]] = [:]
    /// The number of held, non-empty logs of each writer.
    private var heldCounts: [Writer: Int] = [:]
    /// The number of logs with an effective operation.
    private var count = 0

    /// Counts the logs of a lane.
    /// - Parameters:
    ///   - rows: The logs of a zone, in any order; those of other lanes are left out.
    ///   - lane: The lane.
    ///   - cut: The place where a log ends for another reason than that it is surplus; nil if it has no such end.
    /// - Complexity: O(n log n).
    package init(_ rows: some Sequence<LogRow>, _ lane: Lane, cut: (LogRow) -> LogCut? = \.cut) {
        for row in rows where row.key.lane == lane && row.size > 0 {
            let writer = Writer(device: row.device, right: row.right)
            heldCounts[writer, default: 0] += 1
            let cut = cut(row)
            if cut == nil { candidates[writer, default: []].append(row.key.actor) }
            if cut?.size != 0 { count += 1 }
        }
        for writer in candidates.keys { candidates[writer]?.sort() }
    }

    /// Whether a device may write in more incarnations than are effective; false where it certainly does not.
    ///
    /// Asked with each statement about a zone. Logs are counted by their rights alone.
    /// - Parameters:
    ///   - rows: The logs of a zone, in any order; those of other lanes are left out.
    ///   - lane: The lane.
    /// - Returns: True also where only together several devices have so many logs under a right.
    /// - Complexity: O(n).
    package static func mayHaveSurplus(_ rows: [LogRow], _ lane: Lane) -> Bool {
        guard rows.count > ReplicaLimits.incarnationCountMax else { return false }
        var counts: [UInt64: Int] = [:]
        for row in rows where row.key.lane == lane {
            // Rights that begin alike are counted together.
            let count = counts[row.right.digest.word0, default: 0] + 1
            if count > ReplicaLimits.incarnationCountMax { return true }
            counts[row.right.digest.word0] = count
        }
        return false
    }

    /// Whether only logs begin that have a claim to one of the last places.
    package var isCrowded: Bool { count >= Limits.actorCountMax - ReplicaLimits.reservedLogCount }

    /// Whether a device writes in more incarnations than are effective.
    package var hasSurplus: Bool {
        candidates.values.contains { $0.count > ReplicaLimits.incarnationCountMax }
    }

    /// Whether a log ends at zero since enough logs of its device with smaller actors are held.
    /// - Parameter row: A log of the lane, held or not, that nothing else ends.
    /// - Returns: True for one that ends at zero.
    /// - Complexity: O(1).
    package func isSurplus(_ row: LogRow) -> Bool {
        guard let logs = candidates[Writer(device: row.device, right: row.right)] else { return false }
        return logs.count >= ReplicaLimits.incarnationCountMax
            && logs[ReplicaLimits.incarnationCountMax - 1] < row.key.actor
    }

    /// Whether a log of which nothing is held may begin.
    /// - Parameters:
    ///   - row: The log.
    ///   - role: The role in which its author speaks.
    ///   - isAwaited: Whether operations that are held wait for it; asked only when the answer depends on it.
    /// - Returns: Nil when it may.
    package func refusal(
        toBegin row: LogRow,
        as role: LogRole,
        isAwaited: () throws -> Bool
    ) rethrows -> Refusal? {
        let held = heldCounts[Writer(device: row.device, right: row.right)] ?? 0
        guard !isSurplus(row), held < ReplicaLimits.heldIncarnationCountMax else { return .tooManyIncarnations }
        guard isCrowded else { return nil }
        guard count < Limits.actorCountMax else { return .tooManyLogs }
        return try role.rulesZone || isAwaited() ? nil : .tooManyLogs
    }

    /// Whether the local author may begin a log, which would make no other log of its device surplus.
    /// - Parameters: as of ``refusal(toBegin:as:isAwaited:)``.
    /// - Returns: Nil when it may.
    package func refusal(toBeginOwn row: LogRow, as role: LogRole) -> Refusal? {
        let own = candidates[Writer(device: row.device, right: row.right)] ?? []
        guard own.count < ReplicaLimits.incarnationCountMax else { return .tooManyIncarnations }
        return refusal(toBegin: row, as: role) { false }
    }
}

extension LogRole {
    /// Whether the account decides about operations of others: it owns the zone or administers it.
    package var rulesZone: Bool {
        switch self {
        case .owner: true
        case .participant(let scope): scope.level >= .admin
        case .unknown, .ended: false
        }
    }
}

extension LaneRoom.Refusal: CustomStringConvertible {
    /// The part of a sentence that says why.
    package var description: String {
        switch self {
        case .tooManyIncarnations: "its device writes in the maximum number of incarnations"
        case .tooManyLogs: "the zone has the maximum number of logs"
        case .tooManyUnknownRights: "its device writes under the maximum number of rights that are not known"
        }
    }
}
