import Foundation
import Mailbox
import Synchronization
import Wire

// Keeping parcels.
extension ParcelKeeper {
    /// The planned outcomes of deposits, all under one admission.
    private struct Plan {
        var outcomes: [ParcelOutcome] = []
        /// The index of each parcel in `new`.
        var places: [ParcelKey: Int] = [:]
        var new: [(deposit: ParcelDeposit, until: UInt64)] = []
        var prolonged: [ParcelKey: (until: UInt64, after: UInt64)] = [:]
        var byteCount: UInt64 = 0
        var perMailbox: [MailboxID: UInt64] = [:]
    }

    /// The stream's messages about some deposits.
    private struct Sight {
        var row: Row?
        var notices: [ParcelKey: NoticeRow] = [:]
        var prolongations: [ParcelKey: StoredMessage] = [:]
    }

    /// Keeps some parcels.
    /// - Parameters:
    ///   - deposits: All under one admission; together not more than one batch takes.
    ///   - id: The admission.
    /// - Returns: The outcome of each.
    /// - Throws: `StreamError`; then each may be kept or not.
    func put(_ deposits: [ParcelDeposit], under id: AdmissionID) throws(StreamError) -> [ParcelOutcome] {
        // A server that lags, or a sum that is old, must not be the reason for a refusal: then all is asked again.
        var isSure = false
        return try stream.retrying { () throws(StreamError) in
            while true {
                var sight = try look(at: deposits, under: id)
                if isSure { sight.row = try newestRow(id) }
                guard let row = sight.row, !row.row.isDismissed else {
                    if isSure { return deposits.map { _ in .notAdmitted } }
                    isSure = true
                    continue
                }
                let total = try totalByteCount(isFresh: isSure)
                let plan = try plan(deposits, sight, row.row, total)
                if plan.outcomes.contains(.full), !isSure {
                    isSure = true
                    continue
                }
                do throws(StreamError) {
                    try commit(plan, row, id)
                } catch .conflict {
                    isSure = true
                    throw .passing("other relays keep writing under the admission")
                } catch .full {
                    return plan.outcomes.map { _ in .full }
                }
                return plan.outcomes
            }
        }
    }

    private func look(at deposits: [ParcelDeposit], under id: AdmissionID) throws(StreamError) -> Sight {
        let keys = Set(deposits.map { ParcelKey($0) })
        let filters = keys.flatMap { [subjects.notice($0), subjects.prolongation($0)] }
        var sight = Sight()
        for message in try stream.read([subjects.admission(id)] + filters) {
            if message.subject == subjects.admission(id) {
                sight.row = Self.row(message)
            } else if let notice = NoticeRow(message, subjects) {
                sight.notices[notice.key] = notice
            } else if let key = subjects.key(of: message.subject) {
                sight.prolongations[key] = message
            }
        }
        return sight
    }

    private func plan(
        _ deposits: [ParcelDeposit],
        _ sight: Sight,
        _ row: AdmissionRow,
        _ total: UInt64
    ) throws(StreamError) -> Plan {
        var plan = Plan()
        for deposit in deposits {
            let key = ParcelKey(deposit)
            if let place = plan.places[key] {
                plan.new[place].until = max(plan.new[place].until, deposit.until)
                plan.outcomes.append(.stored)
            } else if let notice = sight.notices[key] {
                let prolongation = sight.prolongations[key]
                let known = max(notice.until, NoticeRow.until(prolongation), plan.prolonged[key]?.until ?? 0)
                if deposit.until > known {
                    plan.prolonged[key] = (deposit.until, prolongation?.sequence ?? 0)
                }
                plan.outcomes.append(.stored)
            } else if try hasRoom(for: deposit, &plan, row, total) {
                plan.places[key] = plan.new.count
                plan.new.append((deposit, deposit.until))
                plan.byteCount += deposit.byteCount
                plan.perMailbox[deposit.mailbox]? += deposit.byteCount
                plan.outcomes.append(.stored)
            } else {
                plan.outcomes.append(.full)
            }
        }
        return plan
    }

    private func hasRoom(
        for deposit: ParcelDeposit,
        _ plan: inout Plan,
        _ row: AdmissionRow,
        _ total: UInt64
    ) throws(StreamError) -> Bool {
        let size = deposit.byteCount + plan.byteCount
        guard row.byteCount.fits(size, in: row.quota), total.fits(size, in: deposit.room.total) else { return false }
        let share = row.quota / deposit.room.mailboxShare
        // All that is under the admission is no more than the share: then no mailbox has more.
        if plan.perMailbox[deposit.mailbox] == nil, row.byteCount.fits(size, in: share) { return true }
        if let known = plan.perMailbox[deposit.mailbox] { return known.fits(deposit.byteCount, in: share) }
        // Others may have made room meanwhile.
        for age in [Self.mailboxAge, Self.totalAge] {
            let known = try byteCount(in: deposit, plan, within: age)
            plan.perMailbox[deposit.mailbox] = known
            if known.fits(deposit.byteCount, in: share) { return true }
        }
        return false
    }

    /// The size of a deposit's mailbox under its admission, planned parcels included.
    private func byteCount(in deposit: ParcelDeposit, _ plan: Plan, within age: Duration) throws(StreamError) -> UInt64
    {
        let planned = plan.new.filter { $0.deposit.mailbox == deposit.mailbox }
        let share = MailboxShare(mailbox: deposit.mailbox, admission: deposit.admission)
        return try byteCount(of: share, within: age) + planned.reduce(0) { $0 + $1.deposit.byteCount }
    }

    private func commit(_ plan: Plan, _ row: Row, _ id: AdmissionID) throws(StreamError) {
        var writes: [StreamWrite] = []
        for (key, prolonged) in plan.prolonged {
            let bytes = NoticeRow.bytes(ofUntil: prolonged.until)
            writes.append(StreamWrite(subject: subjects.prolongation(key), bytes: bytes, after: prolonged.after))
        }
        for (deposit, until) in plan.new {
            let key = ParcelKey(deposit)
            let pieces = deposit.parcel.bytes.pieces(of: ParcelSubjects.pieceByteCount)
            for (index, piece) in pieces.enumerated() {
                writes.append(StreamWrite(subject: subjects.piece(index, of: key), bytes: Array(piece), after: 0))
            }
            let notice = NoticeRow.bytes(of: deposit, until: until)
            writes.append(StreamWrite(subject: subjects.notice(key), bytes: notice, after: 0))
        }
        if !plan.new.isEmpty {
            var changed = row.row
            changed.byteCount += plan.byteCount
            changed.parcelCount += UInt64(plan.new.count)
            let bytes = ParcelStream.encode(changed)
            writes.append(StreamWrite(subject: subjects.admission(id), bytes: bytes, after: row.sequence))
        }
        guard !writes.isEmpty else { return }
        try stream.write(writes)
        total.withLock { $0?.byteCount += plan.byteCount }
        for (deposit, _) in plan.new {
            note(deposit.byteCount, in: MailboxShare(mailbox: deposit.mailbox, admission: deposit.admission))
        }
    }

    // MARK: The sum of all admissions

    /// The known total of all that is kept: recent writes of other front ends may be missing.
    func totalByteCount(isFresh: Bool) throws(StreamError) -> UInt64 {
        let now = ContinuousClock.now
        let known = total.withLock { $0 }
        if let known, !isFresh, known.since + Self.totalAge > now { return known.byteCount }
        let sum = try rows().values.reduce(0 as UInt64) { $1.row.isDismissed ? $0 : $0 + $1.row.byteCount }
        total.withLock { $0 = Total(byteCount: sum, since: now) }
        return sum
    }
}

extension ParcelKey {
    /// The key of a deposit.
    init(_ deposit: ParcelDeposit) {
        self.init(mailbox: deposit.mailbox, parcel: deposit.parcel.id)
    }
}

extension UInt64 {
    /// Whether so much more stays within a bound.
    func fits(_ more: UInt64, in bound: UInt64) -> Bool {
        let (sum, overflow) = addingReportingOverflow(more)
        return !overflow && sum <= bound
    }
}
