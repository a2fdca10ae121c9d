import Foundation
import Mailbox
import Synchronization
import Wire

/// The decisions of the storage, based on the stream's content.
///
/// Calls block.
///
/// A parcel is written in pieces, with its notice and its admission's new row, in one batch. The batch is written
/// whole or not at all, and only if no other front end wrote the same subjects in between. A parcel is removed with
/// everything that belongs to it in one purge. So there is never half a parcel, and no admission exceeds its quota,
/// however many front ends there are and whenever they die.
///
/// The stored amount is in the admission's row and not in a counter of JetStream's: a counter cannot be written
/// together with a parcel, nor on the condition that no other front end wrote it. And the time is the caller's, so no
/// message has a time to live.
///
/// A front end that removes a parcel writes the admission's row afterwards. If it dies between the two, the row
/// states more than there is; the next two calls of ``expire(at:limit:)`` that scan everything repair it.
final class ParcelKeeper: Sendable {
    struct Row: Sendable {
        var row: AdmissionRow
        var sequence: UInt64
    }

    /// The time for which the sum of all rows is trusted.
    static let totalAge: Duration = .seconds(30)

    struct Total {
        var byteCount: UInt64
        var since: ContinuousClock.Instant
    }

    /// The part of a mailbox that is under one admission.
    struct MailboxShare: Hashable {
        var mailbox: MailboxID
        var admission: AdmissionID
    }

    /// The maximum number of mailboxes whose sums are kept: about six megabytes.
    static let mailboxCountMax = 65_536
    /// The time for which the sum of a mailbox is trusted if it shows that there is room.
    ///
    /// To read the content of a mailbox, a server loads a part of its file for each parcel, 8 MB large. The sum lacks
    /// writes that other front ends made meanwhile, but the admission's row does not: so the share may be exceeded,
    /// but never the quota.
    static let mailboxAge: Duration = .seconds(3_600)

    let stream: ParcelStream
    let total = Mutex<Total?>(nil)
    /// The sums of mailboxes that were computed lately.
    private let mailboxes = Mutex<[MailboxShare: Total]>([:])
    /// The differences between rows and stored parcels and slots that the last complete scan found.
    let doubts = Mutex<[AdmissionID: AdmissionSum]>([:])

    init(_ stream: ParcelStream) {
        self.stream = stream
    }

    var subjects: ParcelSubjects { stream.subjects }

    // MARK: Admissions

    /// See `ParcelStorage`.
    ///
    /// Concurrent calls at several front ends may exceed the number a little.
    func admit(_ admission: Admission) throws {
        guard try rows().count < Admission.countMax else { throw ParcelStorageError.tooMany }
        try stream.retrying { () throws(StreamError) in
            let found = try newestRow(admission.id)
            // Admitted already: only the caller that admitted twice knows why.
            if let found, !found.row.isDismissed { return }
            try write(AdmissionRow(admission), of: admission.id, after: found?.sequence ?? 0)
        }
    }

    /// See `ParcelStorage`.
    func dismiss(_ id: AdmissionID) throws -> Bool {
        guard try markDismissed(id) else { return false }
        let passes = try rows().filter { $0.value.row.pass?.giver == id }.keys.filter { try markDismissed($0) }
        try clear(Set([id] + passes))
        return true
    }

    /// Marks an admission as ended.
    /// - Returns: Whether it was not marked before.
    func markDismissed(_ id: AdmissionID) throws(StreamError) -> Bool {
        try stream.retrying { () throws(StreamError) in
            guard var found = try newestRow(id), !found.row.isDismissed else { return false }
            found.row.isDismissed = true
            try write(found.row, of: id, after: found.sequence)
            return true
        }
    }

    /// Removes ended admissions, with everything that is kept under them.
    func clear(_ ids: Set<AdmissionID>) throws(StreamError) {
        guard !ids.isEmpty else { return }
        total.withLock { $0 = nil }
        try purgeAll(under: ids)
        for id in ids { try forget(id) }
        try stream.mark()
    }

    /// See `ParcelStorage`.
    ///
    /// Concurrent calls at several front ends may exceed the numbers a little.
    func give(
        _ passes: [AdmissionID],
        under giver: AdmissionID,
        at now: UInt64,
        until: UInt64
    ) throws -> [AdmissionID] {
        let rows = try rows()
        guard let admission = try admission(giver)?.admission, admission.pass == nil else { return [] }
        var count = rows.count
        var own = rows.values.count { $0.row.pass?.giver == giver }
        return try passes.filter { pass in
            try stream.retrying { () throws(StreamError) in
                let found = try newestRow(pass)
                if var known = found?.row, !known.isDismissed {
                    guard known.pass?.giver == giver else { return false }
                    guard let before = known.until, before < until, let sequence = found?.sequence else { return true }
                    known.until = until
                    try write(known, of: pass, after: sequence)
                    return true
                }
                guard count < Admission.countMax, own < Limits.passCountMax else { return false }
                let made = Admission(pass: pass, under: admission, at: now, until: until)
                try write(AdmissionRow(made), of: pass, after: found?.sequence ?? 0)
                (count, own) = (count + 1, own + 1)
                return true
            }
        }
    }

    /// See `ParcelStorage`.
    func admissions() throws -> [AdmissionUsage] {
        try rows().filter { !$0.value.row.isDismissed }.map { $0.value.row.usage($0.key) }
            .sorted { ($0.admission.since, $0.admission.id) < ($1.admission.since, $1.admission.id) }
    }

    /// See `ParcelStorage`.
    func admission(_ id: AdmissionID) throws -> AdmissionUsage? {
        let found = try stream.read([subjects.admission(id)]).first.flatMap(Self.row)
        // Another front end may have made it a moment ago.
        guard let found = try found ?? newestRow(id), !found.row.isDismissed else { return nil }
        return found.row.usage(id)
    }

    /// All rows.
    func rows() throws(StreamError) -> [AdmissionID: Row] {
        var rows: [AdmissionID: Row] = [:]
        try stream.scan(subjects.admissions) { messages throws(StreamError) in
            for message in messages {
                if let id = subjects.admission(of: message.subject) { rows[id] = Self.row(message) }
            }
            return true
        }
        return rows
    }

    /// A row as the leader has it.
    func newestRow(_ id: AdmissionID) throws(StreamError) -> Row? {
        try stream.newest(subjects.admission(id)).flatMap(Self.row)
    }

    static func row(_ message: StoredMessage) -> Row? {
        guard let row: AdmissionRow = try? ParcelStream.decode(message.bytes) else { return nil }
        return Row(row: row, sequence: message.sequence)
    }

    /// Writes a row; a conflict is to be tried again.
    func write(_ row: AdmissionRow, of id: AdmissionID, after sequence: UInt64) throws(StreamError) {
        let bytes = ParcelStream.encode(row)
        do {
            try stream.write([StreamWrite(subject: subjects.admission(id), bytes: bytes, after: sequence)])
        } catch .conflict {
            throw .passing("other relays keep writing the admission")
        }
    }

    /// Purges the row of an admission that ended; one that was made again stays.
    func forget(_ id: AdmissionID) throws(StreamError) {
        guard let found = try newestRow(id), found.row.isDismissed else { return }
        _ = try stream.purge([PurgeRequest(filter: subjects.admission(id), seq: found.sequence + 1)])
    }

    // MARK: Mailboxes

    /// See `ParcelStorage`.
    func parcels(in mailboxes: [MailboxID], limit: Int) throws -> [ParcelNotice] {
        guard limit > 0, !mailboxes.isEmpty else { return [] }
        let found = try noticesByMailbox(mailboxes, limit: limit)
        let ordered = mailboxes.lazy.flatMap { mailbox in
            (found[mailbox] ?? []).sorted { $0.sequence < $1.sequence }
        }
        return ordered.prefix(limit).map {
            ParcelNotice(mailbox: $0.key.mailbox, parcel: $0.key.parcel, byteCount: $0.byteCount)
        }
    }

    /// The notices of several mailboxes: of each all, or the first ones until there are as many as the limit.
    private func noticesByMailbox(
        _ mailboxes: [MailboxID],
        limit: Int
    ) throws(StreamError) -> [MailboxID: [NoticeRow]] {
        do throws(StreamError) {
            let all = try notices(mailboxes.map { subjects.notices(in: $0) })
            return Dictionary(grouping: all) { $0.key.mailbox }
        } catch {
            guard error == .tooManyResults else { throw error }
        }
        var found: [MailboxID: [NoticeRow]] = [:]
        var left = limit
        for mailbox in mailboxes where left > 0 {
            let some = try notices(in: mailbox, limit: left)
            found[mailbox] = some
            left -= some.count
        }
        return found
    }

    /// The first pieces of some parcels, which most have no more than; `nil` where there is none.
    func firstPieces(of keys: [ParcelKey]) throws(StreamError) -> [[UInt8]?] {
        var first: [ParcelKey: [UInt8]] = [:]
        for message in try stream.read(Set(keys).map { subjects.piece(0, of: $0) }) {
            if let key = subjects.key(of: message.subject) { first[key] = message.bytes }
        }
        return keys.map { first[$0] }
    }

    /// All pieces of a parcel, one behind the other; empty where there are none.
    func pieces(of key: ParcelKey) throws(StreamError) -> [UInt8] {
        let pieces = try stream.read([subjects.pieces(key)]).sorted { $0.sequence < $1.sequence }
        return pieces.reduce(into: []) { $0 += $1.bytes }
    }

    /// See `ParcelStorage`.
    func held(_ parcels: [ParcelID], in mailbox: MailboxID) throws -> [ParcelID] {
        var held: Set<ParcelID> = []
        for some in parcels.pieces(of: Self.purgeCountMax) {
            let keys = some.map { subjects.notice(ParcelKey(mailbox: mailbox, parcel: $0)) }
            held.formUnion(try notices(keys).map(\.key.parcel))
        }
        return parcels.filter { held.contains($0) }
    }

    /// The size of a mailbox under an admission, by a sum of limited age and the writes that were made here since.
    func byteCount(of share: MailboxShare, within age: Duration) throws(StreamError) -> UInt64 {
        let now = ContinuousClock.now
        if let known = mailboxes.withLock({ $0[share] }), known.since + age > now { return known.byteCount }
        let notices = try notices(in: share.mailbox, limit: .max)
        let sum = notices.filter { $0.admission == share.admission }.reduce(0) { $0 + $1.size }
        mailboxes.withLock { mailboxes in
            if mailboxes.count >= Self.mailboxCountMax, let any = mailboxes.indices.first {
                mailboxes.remove(at: any)
            }
            mailboxes[share] = Total(byteCount: sum, since: now)
        }
        return sum
    }

    /// Notes that something came into a mailbox.
    func note(_ byteCount: UInt64, in share: MailboxShare) {
        mailboxes.withLock { $0[share]?.byteCount += byteCount }
    }

    /// Notes that something went out of a mailbox.
    func note(gone notice: NoticeRow) {
        let share = MailboxShare(mailbox: notice.key.mailbox, admission: notice.admission)
        mailboxes.withLock { mailboxes in
            guard let known = mailboxes[share]?.byteCount else { return }
            mailboxes[share]?.byteCount = known - min(known, notice.size)
        }
    }

    /// The notices of some subjects, at most a thousand.
    func notices(_ filters: [String]) throws(StreamError) -> [NoticeRow] {
        let found = try stream.read(filters)
        return found.compactMap { NoticeRow($0, subjects) }
    }

    /// The first notices of a mailbox, however many it has.
    func notices(in mailbox: MailboxID, limit: Int) throws(StreamError) -> [NoticeRow] {
        do throws(StreamError) {
            return Array(try notices([subjects.notices(in: mailbox)]).prefix(limit))
        } catch {
            guard error == .tooManyResults else { throw error }
        }
        var found: [NoticeRow] = []
        try stream.scan(subjects.notices(in: mailbox)) { messages throws(StreamError) in
            found += messages.compactMap { NoticeRow($0, subjects) }
            return found.count < limit
        }
        return Array(found.prefix(limit))
    }

    /// All notices, page by page.
    func scanNotices(_ take: ([NoticeRow]) throws(StreamError) -> Bool) throws(StreamError) {
        try stream.scan(subjects.notices) { messages throws(StreamError) in
            try take(messages.compactMap { NoticeRow($0, subjects) })
        }
    }
}

extension Collection {
    /// The elements in pieces of at most so many.
    func pieces(of count: Int) -> [SubSequence] {
        var pieces: [SubSequence] = []
        var rest = self[...]
        while !rest.isEmpty {
            pieces.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return pieces
    }
}
