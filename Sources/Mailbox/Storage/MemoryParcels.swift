package import Wire

/// A parcel storage in memory: for tests, and for the simulator, which calls it without waiting.
package struct MemoryParcels: Sendable {
    private struct Row {
        var notice: ParcelNotice
        var admission: AdmissionID
        var bytes: [UInt8]
        var until: UInt64
        var byteCount: UInt64
    }

    private struct Slot {
        var admission: AdmissionID
        var value: Hash
        var until: UInt64
    }

    private var admitted: [Admission] = []
    private var rows: [Row] = []
    private var slots: [SlotID: Slot] = [:]

    /// Keeps nothing.
    package init() {}

    /// See ``ParcelStorage``.
    package mutating func admit(_ admission: Admission) throws {
        guard admitted.count < Admission.countMax else { throw ParcelStorageError.tooMany }
        admitted.append(admission)
    }

    /// See ``ParcelStorage``.
    package mutating func give(
        _ passes: [AdmissionID],
        under giver: AdmissionID,
        at now: UInt64,
        until: UInt64
    ) -> [AdmissionID] {
        guard let admission = admission(giver)?.admission, admission.pass == nil else { return [] }
        return passes.filter { pass in
            if let index = admitted.firstIndex(where: { $0.id == pass }) {
                guard let known = admitted[index].pass, known.giver == giver else { return false }
                admitted[index].pass?.until = max(known.until, until)
                return true
            }
            let count = admitted.count { $0.pass?.giver == giver }
            guard count < Limits.passCountMax, admitted.count < Admission.countMax else { return false }
            admitted.append(Admission(pass: pass, under: admission, at: now, until: until))
            return true
        }
    }

    /// See ``ParcelStorage``.
    package mutating func dismiss(_ admission: AdmissionID) -> Bool {
        guard admitted.contains(where: { $0.id == admission }) else { return false }
        end(Set([admission] + admitted.filter { $0.pass?.giver == admission }.map(\.id)))
        return true
    }

    private mutating func end(_ admissions: Set<AdmissionID>) {
        admitted.removeAll { admissions.contains($0.id) }
        rows.removeAll { admissions.contains($0.admission) }
        slots = slots.filter { !admissions.contains($0.value.admission) }
    }

    /// See ``ParcelStorage``.
    package func admissions() -> [AdmissionUsage] {
        admitted.sorted { $0.since < $1.since }.map(usage)
    }

    /// See ``ParcelStorage``.
    package func admission(_ id: AdmissionID) -> AdmissionUsage? {
        admitted.first { $0.id == id }.map(usage)
    }

    private func usage(_ admission: Admission) -> AdmissionUsage {
        let mine = rows.filter { $0.admission == admission.id }
        return AdmissionUsage(
            admission: admission,
            byteCount: mine.reduce(0) { $0 + $1.byteCount } + slotByteCount { $0.admission == admission.id },
            parcelCount: UInt64(mine.count)
        )
    }

    private func slotByteCount(_ isCounted: (Slot) -> Bool) -> UInt64 {
        UInt64(slots.values.count(where: isCounted)) * SlotClaim.byteCount
    }

    /// See ``ParcelStorage``.
    package mutating func claim(_ claim: SlotClaim) -> SlotOutcome {
        guard let usage = admission(claim.admission) else { return .notAdmitted }
        if let slot = slots[claim.slot] { return .held(slot.value) }
        let inAll = rows.reduce(0) { $0 + $1.byteCount } + slotByteCount { _ in true }
        guard usage.byteCount + SlotClaim.byteCount <= usage.admission.quota,
            inAll + SlotClaim.byteCount <= claim.room.total
        else { return .full }
        slots[claim.slot] = Slot(admission: claim.admission, value: claim.value, until: claim.until)
        return .held(claim.value)
    }

    /// See ``ParcelStorage``.
    package mutating func put(_ deposit: ParcelDeposit) -> ParcelOutcome {
        guard let usage = admission(deposit.admission) else { return .notAdmitted }
        if let index = rows.firstIndex(where: {
            $0.notice.mailbox == deposit.mailbox && $0.notice.parcel == deposit.parcel.id
        }) {
            rows[index].until = max(rows[index].until, deposit.until)
            return .stored
        }
        let size = deposit.byteCount
        let inMailbox = rows.filter { $0.notice.mailbox == deposit.mailbox && $0.admission == deposit.admission }
            .reduce(0) { $0 + $1.byteCount }
        let inAll = rows.reduce(0) { $0 + $1.byteCount } + slotByteCount { _ in true }
        let quota = usage.admission.quota
        guard usage.byteCount + size <= quota, inMailbox + size <= quota / deposit.room.mailboxShare,
            inAll + size <= deposit.room.total
        else { return .full }
        rows.append(
            Row(
                notice: ParcelNotice(
                    mailbox: deposit.mailbox,
                    parcel: deposit.parcel.id,
                    byteCount: UInt64(deposit.parcel.bytes.count)
                ),
                admission: deposit.admission,
                bytes: deposit.parcel.bytes,
                until: deposit.until,
                byteCount: size
            )
        )
        return .stored
    }

    /// See ``ParcelStorage``.
    package func parcels(in mailboxes: [MailboxID], limit: Int) -> [ParcelNotice] {
        let found = mailboxes.flatMap { mailbox in rows.lazy.map(\.notice).filter { $0.mailbox == mailbox } }
        return Array(found.prefix(limit))
    }

    /// See ``ParcelStorage``.
    package func parcel(_ parcel: ParcelID, in mailbox: MailboxID) -> [UInt8]? {
        rows.first { $0.notice.mailbox == mailbox && $0.notice.parcel == parcel }?.bytes
    }

    /// See ``ParcelStorage``.
    package mutating func remove(_ parcels: [ParcelID], from mailbox: MailboxID) {
        rows.removeAll { $0.notice.mailbox == mailbox && parcels.contains($0.notice.parcel) }
    }

    /// See ``ParcelStorage``.
    package func held(_ parcels: [ParcelID], in mailbox: MailboxID) -> [ParcelID] {
        parcels.filter { parcel in self.parcel(parcel, in: mailbox) != nil }
    }

    /// See ``ParcelStorage``.
    package mutating func expire(at now: UInt64, limit: Int) -> Int {
        end(Set(admitted.filter { $0.pass.map { $0.until <= now } ?? false }.map(\.id)))
        let over = Set(rows.filter { $0.until <= now }.prefix(limit).map(\.notice))
        rows.removeAll { over.contains($0.notice) }
        let ended = slots.filter { $0.value.until <= now }.keys.sorted().prefix(limit - over.count)
        for slot in ended { slots[slot] = nil }
        return over.count + ended.count
    }
}

/// ``MemoryParcels`` behind the port.
package actor MemoryParcelStorage: ParcelStorage {
    private var parcels = MemoryParcels()

    /// Keeps nothing.
    package init() {}

    /// See `ParcelStorage`.
    package nonisolated var backend: String { "memory" }

    /// See `ParcelStorage`.
    package func admit(_ admission: Admission) throws { try parcels.admit(admission) }

    /// See `ParcelStorage`.
    package func give(
        _ passes: [AdmissionID],
        under giver: AdmissionID,
        at now: UInt64,
        until: UInt64
    ) -> [AdmissionID] {
        parcels.give(passes, under: giver, at: now, until: until)
    }

    /// See `ParcelStorage`.
    package func dismiss(_ admission: AdmissionID) -> Bool { parcels.dismiss(admission) }

    /// See `ParcelStorage`.
    package func admissions() -> [AdmissionUsage] { parcels.admissions() }

    /// See `ParcelStorage`.
    package func admission(_ id: AdmissionID) -> AdmissionUsage? { parcels.admission(id) }

    /// See `ParcelStorage`.
    package func put(_ deposit: ParcelDeposit) -> ParcelOutcome { parcels.put(deposit) }

    /// See `ParcelStorage`.
    package func parcels(in mailboxes: [MailboxID], limit: Int) -> [ParcelNotice] {
        parcels.parcels(in: mailboxes, limit: limit)
    }

    /// See `ParcelStorage`.
    package func parcel(_ parcel: ParcelID, in mailbox: MailboxID) -> [UInt8]? { parcels.parcel(parcel, in: mailbox) }

    /// See `ParcelStorage`.
    package func remove(_ parcels: [ParcelID], from mailbox: MailboxID) {
        self.parcels.remove(parcels, from: mailbox)
    }

    /// See `ParcelStorage`.
    package func held(_ parcels: [ParcelID], in mailbox: MailboxID) -> [ParcelID] {
        self.parcels.held(parcels, in: mailbox)
    }

    /// See `ParcelStorage`.
    package func claim(_ claim: SlotClaim) -> SlotOutcome { parcels.claim(claim) }

    /// See `ParcelStorage`.
    package func expire(at now: UInt64, limit: Int) -> Int { parcels.expire(at: now, limit: limit) }
}
