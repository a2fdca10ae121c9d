import Foundation
import Mailbox
import Synchronization
import Wire

/// The counted bytes and parcels under an admission.
struct AdmissionSum: Hashable, Sendable {
    /// Bytes, as charged to quotas.
    var byteCount: UInt64 = 0
    /// Parcels.
    var parcelCount: UInt64 = 0

    /// Counts one more.
    mutating func add(_ notice: NoticeRow) {
        byteCount += notice.size
        parcelCount += 1
    }

    /// Counts a slot more, which is no parcel.
    mutating func addSlot() { byteCount += SlotClaim.byteCount }
}

// The removal of parcels.
extension ParcelKeeper {
    /// The number of parcels that are purged, or requested by name, at once.
    static let purgeCountMax = 256

    /// See `ParcelStorage`.
    func remove(_ parcels: [ParcelID], from mailbox: MailboxID) throws {
        for some in Set(parcels).pieces(of: Self.purgeCountMax) {
            let keys = some.map { subjects.notice(ParcelKey(mailbox: mailbox, parcel: $0)) }
            try purge(notices(keys))
        }
    }

    /// See `ParcelStorage`.
    ///
    /// Visits all notices, unless so many have expired that the limit is reached before; so it should not be called
    /// every second. A call that has visited all also completes work that other front ends left unfinished.
    func expire(at now: UInt64, limit: Int) throws -> Int {
        guard limit > 0 else { return 0 }
        try endPasses(at: now)
        let rows = try rows()
        let prolonged = try prolongations()
        var count = 0
        var sums: [AdmissionID: AdmissionSum] = [:]
        try scanNotices { notices throws(StreamError) in
            let over = notices.filter { max($0.until, prolonged[$0.key] ?? 0) <= now }.prefix(limit - count)
            let gone = try purgeOver(Array(over), at: now)
            count += gone.count
            for notice in notices where !gone.contains(notice.key) {
                sums[notice.admission, default: AdmissionSum()].add(notice)
            }
            return count < limit
        }
        guard count < limit else { return count }
        count += try expireSlots(at: now, limit: limit - count, into: &sums)
        guard count < limit else { return count }
        try sweep(rows, sums)
        try audit(rows, sums)
        return count
    }

    /// Ends expired passes, unless a front end gave them again meanwhile.
    private func endPasses(at now: UInt64) throws(StreamError) {
        var over: Set<AdmissionID> = []
        for (pass, row) in try rows() where row.row.until.map({ $0 <= now }) ?? false {
            guard let until = try newestRow(pass)?.row.until, until <= now else { continue }
            if try markDismissed(pass) { over.insert(pass) }
        }
        try clear(over)
    }

    private func prolongations() throws(StreamError) -> [ParcelKey: UInt64] {
        var prolonged: [ParcelKey: UInt64] = [:]
        try stream.scan(subjects.prolongations) { messages throws(StreamError) in
            for message in messages {
                if let key = subjects.key(of: message.subject) { prolonged[key] = NoticeRow.until(message) }
            }
            return true
        }
        return prolonged
    }

    /// Purges expired parcels, unless another front end prolonged them meanwhile.
    ///
    /// A prolongation between the check and the purge comes too late, although its caller got the opposite answer;
    /// the caller puts the parcel again.
    /// - Returns: The purged parcels.
    private func purgeOver(_ notices: [NoticeRow], at now: UInt64) throws(StreamError) -> Set<ParcelKey> {
        var gone: Set<ParcelKey> = []
        for some in notices.pieces(of: Self.purgeCountMax) {
            let found = try stream.read(some.map { subjects.prolongation($0.key) })
            let later = Set(found.filter { NoticeRow.until($0) > now }.compactMap { subjects.key(of: $0.subject) })
            gone.formUnion(try purge(some.filter { !later.contains($0.key) }))
        }
        return gone
    }

    /// Purges parcels, each with all that there is of it at once, and takes them off their admissions' rows.
    /// - Returns: The parcels that this call purged.
    @discardableResult
    func purge(_ notices: [NoticeRow]) throws(StreamError) -> Set<ParcelKey> {
        var gone: Set<ParcelKey> = []
        for some in notices.pieces(of: Self.purgeCountMax) {
            let requests = some.map { PurgeRequest(filter: subjects.everything(of: $0.key)) }
            let counts = try stream.retrying { () throws(StreamError) in try stream.purge(requests) }
            var sums: [AdmissionID: AdmissionSum] = [:]
            for (notice, count) in zip(some, counts) where count > 0 {
                gone.insert(notice.key)
                note(gone: notice)
                sums[notice.admission, default: AdmissionSum()].add(notice)
            }
            var isMarked = false
            for (id, sum) in sums { isMarked = try takeOff(sum, of: id) || isMarked }
            if !isMarked { try stream.mark() }
        }
        return gone
    }

    /// Says on an admission's row that parcels went.
    /// - Returns: Whether there is such a row.
    func takeOff(_ sum: AdmissionSum, of id: AdmissionID) throws(StreamError) -> Bool {
        let isThere = try stream.retrying { () throws(StreamError) in
            guard var found = try newestRow(id), !found.row.isDismissed else { return false }
            found.row.byteCount -= min(found.row.byteCount, sum.byteCount)
            found.row.parcelCount -= min(found.row.parcelCount, sum.parcelCount)
            try write(found.row, of: id, after: found.sequence)
            return true
        }
        if isThere {
            total.withLock { total in
                let known = total?.byteCount ?? 0
                total?.byteCount = known - min(known, sum.byteCount)
            }
        }
        return isThere
    }

    // MARK: Unfinished work of other front ends

    /// Removes everything under ended admissions, if the front end that ended them did not get to it.
    private func sweep(_ rows: [AdmissionID: Row], _ sums: [AdmissionID: AdmissionSum]) throws(StreamError) {
        let ended = Set(rows.filter { $0.value.row.isDismissed }.keys).union(sums.keys.filter { rows[$0] == nil })
        for id in ended {
            // It may have been made, or made again, since the rows were read.
            if let found = try newestRow(id), !found.row.isDismissed { continue }
            if sums[id] != nil { try purgeAll(under: [id]) }
            try forget(id)
        }
    }

    /// Purges all that is kept under admissions that ended.
    func purgeAll(under ids: Set<AdmissionID>) throws(StreamError) {
        try scanNotices { notices throws(StreamError) in
            let mine = notices.filter { ids.contains($0.admission) }
            if !mine.isEmpty { try purge(mine) }
            return true
        }
        try scanSlots { slots throws(StreamError) in
            let mine = slots.filter { ids.contains($0.admission) }
            if !mine.isEmpty { try purge(mine) }
            return true
        }
    }

    /// Corrects rows that differ from the stored parcels and slots.
    ///
    /// Another front end may be about to correct a row: between a purge and the write of the row that follows it. So
    /// a row is corrected only if the previous complete scan found the same difference, and if the row was not
    /// written since it was read.
    /// - Parameters:
    ///   - rows: The rows as they were before the scan.
    ///   - sums: The sums that the scan found.
    /// - Throws: `StreamError`.
    private func audit(_ rows: [AdmissionID: Row], _ sums: [AdmissionID: AdmissionSum]) throws(StreamError) {
        var wrong: [AdmissionID: AdmissionSum] = [:]
        for (id, row) in rows where !row.row.isDismissed {
            let sum = sums[id] ?? AdmissionSum()
            guard row.row.byteCount != sum.byteCount || row.row.parcelCount != sum.parcelCount else { continue }
            // Differences, modulo 2^64.
            wrong[id] = AdmissionSum(
                byteCount: row.row.byteCount &- sum.byteCount,
                parcelCount: row.row.parcelCount &- sum.parcelCount
            )
        }
        let before = doubts.withLock { doubts in
            defer { doubts = wrong }
            return doubts
        }
        for (id, difference) in wrong where before[id] == difference {
            guard var row = rows[id] else { continue }
            let sum = sums[id] ?? AdmissionSum()
            (row.row.byteCount, row.row.parcelCount) = (sum.byteCount, sum.parcelCount)
            do {
                try write(row.row, of: id, after: row.sequence)
                total.withLock { $0 = nil }
            } catch .passing {
                // Another front end wrote it meanwhile: next time.
            }
        }
    }
}
