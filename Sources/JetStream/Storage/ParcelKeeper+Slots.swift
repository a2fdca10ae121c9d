import Foundation
import Mailbox
import Synchronization
import Wire

// Slots: written once, and answered the same from then on.
extension ParcelKeeper {
    /// See `ParcelStorage`.
    ///
    /// A slot is written with its admission's new row in one batch, and only if it was not written yet: of several
    /// front ends one is first.
    func claim(_ claim: SlotClaim) throws -> SlotOutcome {
        // A server that lags must not be the reason for a refusal; its answer about a slot that is written is final
        // anyway.
        var isSure = false
        return try stream.retrying { () throws(StreamError) in
            while true {
                var (row, slot) = try look(at: claim)
                if isSure {
                    row = try newestRow(claim.admission)
                    slot = try stream.newest(subjects.slot(claim.slot)).flatMap { SlotRow($0, subjects) }
                }
                guard let row, !row.row.isDismissed else {
                    if isSure { return .notAdmitted }
                    isSure = true
                    continue
                }
                if let slot { return .held(slot.value) }
                let total = try totalByteCount(isFresh: isSure)
                guard row.row.byteCount.fits(SlotClaim.byteCount, in: row.row.quota),
                    total.fits(SlotClaim.byteCount, in: claim.room.total)
                else {
                    if isSure { return .full }
                    isSure = true
                    continue
                }
                do throws(StreamError) {
                    try commit(claim, row)
                } catch .conflict {
                    isSure = true
                    throw .passing("other relays keep writing under the admission")
                } catch .full {
                    return .full
                }
                return .held(claim.value)
            }
        }
    }

    private func look(at claim: SlotClaim) throws(StreamError) -> (row: Row?, slot: SlotRow?) {
        let name = subjects.admission(claim.admission)
        let found = try stream.read([name, subjects.slot(claim.slot)])
        let row = found.first { $0.subject == name }.flatMap(Self.row)
        return (row, found.lazy.compactMap { SlotRow($0, self.subjects) }.first)
    }

    private func commit(_ claim: SlotClaim, _ row: Row) throws(StreamError) {
        var changed = row.row
        changed.byteCount += SlotClaim.byteCount
        try stream.write([
            StreamWrite(subject: subjects.slot(claim.slot), bytes: SlotRow.bytes(of: claim), after: 0),
            StreamWrite(
                subject: subjects.admission(claim.admission),
                bytes: ParcelStream.encode(changed),
                after: row.sequence
            ),
        ])
        total.withLock { $0?.byteCount += SlotClaim.byteCount }
    }

    /// All slots, page by page.
    func scanSlots(_ take: ([SlotRow]) throws(StreamError) -> Bool) throws(StreamError) {
        try stream.scan(subjects.slots) { messages throws(StreamError) in
            try take(messages.compactMap { SlotRow($0, subjects) })
        }
    }

    /// Purges expired slots, and counts the others.
    /// - Parameters:
    ///   - now: Milliseconds since 1970.
    ///   - limit: The maximum number of slots to purge.
    ///   - sums: The sums under each admission; the remaining slots are added to them.
    /// - Returns: The number of purged slots.
    /// - Throws: `StreamError`.
    func expireSlots(
        at now: UInt64,
        limit: Int,
        into sums: inout [AdmissionID: AdmissionSum]
    ) throws(StreamError) -> Int {
        var count = 0
        var kept = sums
        try scanSlots { slots throws(StreamError) in
            let over = slots.filter { $0.until <= now }.prefix(limit - count)
            let gone = try purge(Array(over))
            count += gone.count
            for slot in slots where !gone.contains(slot.slot) {
                kept[slot.admission, default: AdmissionSum()].addSlot()
            }
            return count < limit
        }
        sums = kept
        return count
    }

    /// Purges slots, and takes them off their admissions' rows.
    /// - Returns: The slots that this call purged.
    @discardableResult
    func purge(_ slots: [SlotRow]) throws(StreamError) -> Set<SlotID> {
        var gone: Set<SlotID> = []
        for some in slots.pieces(of: Self.purgeCountMax) {
            // A slot that is written again in this moment is kept.
            let requests = some.map { PurgeRequest(filter: subjects.slot($0.slot), seq: $0.sequence + 1) }
            let counts = try stream.retrying { () throws(StreamError) in try stream.purge(requests) }
            var sums: [AdmissionID: AdmissionSum] = [:]
            for (slot, count) in zip(some, counts) where count > 0 {
                gone.insert(slot.slot)
                sums[slot.admission, default: AdmissionSum()].addSlot()
            }
            var isMarked = false
            for (id, sum) in sums { isMarked = try takeOff(sum, of: id) || isMarked }
            if !isMarked { try stream.mark() }
        }
        return gone
    }
}
