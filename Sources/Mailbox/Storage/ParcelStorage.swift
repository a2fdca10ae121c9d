package import Wire

/// Where a relay keeps parcels and admissions.
///
/// All that it answers is durable; several front ends may use one at the same time.
///
/// What a storage loses is put again by whoever put it: it may be slow, or lose all, and nobody loses anything but time. It must not
/// hand out what was never put.
///
/// Slots are otherwise: what was written into one is counted on. A storage that loses a slot, or is set back, lets it be written once more.
package protocol ParcelStorage: Sendable {
    /// What it is, in a word: `sqlite` or `jetstream`.
    var backend: String { get }

    /// Adds an admission.
    /// - Throws: ``ParcelStorageError/tooMany`` beyond ``Admission/countMax``, or what the storage throws.
    func admit(_ admission: Admission) async throws

    /// Makes passes under an admission, and has those that it gave before count for longer.
    ///
    /// An id that is another admission's is passed over.
    /// - Parameters:
    ///   - passes: The hashes of their secrets, at most `Limits.passCountMax`.
    ///   - giver: The admission; one that is a pass itself gives none.
    ///   - now: Milliseconds since 1970.
    ///   - until: Until when they count, in milliseconds since 1970.
    /// - Returns: Those that count now: no more than `Limits.passCountMax` under one admission, and ``Admission/countMax`` in all.
    /// - Throws: What the storage throws.
    func give(
        _ passes: [AdmissionID],
        under giver: AdmissionID,
        at now: UInt64,
        until: UInt64
    ) async throws -> [AdmissionID]

    /// Ends an admission, with all passes and parcels under it.
    /// - Returns: Whether there was one.
    func dismiss(_ admission: AdmissionID) async throws -> Bool

    /// All admissions, and what is kept under them, by the time at which they were made.
    func admissions() async throws -> [AdmissionUsage]

    /// An admission; `nil` when there is none (any more).
    func admission(_ id: AdmissionID) async throws -> AdmissionUsage?

    /// Keeps a parcel.
    ///
    /// One that is in the mailbox already is kept for that much longer, and counts once.
    func put(_ deposit: ParcelDeposit) async throws -> ParcelOutcome

    /// What is in mailboxes: by the order of the mailboxes, and in each by that in which it came.
    /// - Parameters:
    ///   - mailboxes: At most `Limits.mailboxCountMax`.
    ///   - limit: How many parcels to name at most.
    /// - Returns: The parcels.
    /// - Throws: What the storage throws.
    func parcels(in mailboxes: [MailboxID], limit: Int) async throws -> [ParcelNotice]

    /// A parcel's bytes; `nil` when it is not in the mailbox (any more).
    func parcel(_ parcel: ParcelID, in mailbox: MailboxID) async throws -> [UInt8]?

    /// Deletes parcels of a mailbox; those that are not there do not matter.
    func remove(_ parcels: [ParcelID], from mailbox: MailboxID) async throws

    /// Those of some parcels that are in a mailbox, in their order.
    func held(_ parcels: [ParcelID], in mailbox: MailboxID) async throws -> [ParcelID]

    /// Writes a slot, unless it is written already: the first value stays, and is what everybody is answered from then on.
    ///
    /// However many ask at once, all are answered the same value.
    /// - Parameter claim: Which slot, and what is to be in it.
    /// - Returns: What the slot holds now.
    /// - Throws: What the storage throws; then it may be written or not, and whoever asks again hears.
    func claim(_ claim: SlotClaim) async throws -> SlotOutcome

    /// Deletes parcels and slots whose time is over, and ends such passes.
    /// - Parameters:
    ///   - now: Milliseconds since 1970.
    ///   - limit: How many at most.
    /// - Returns: How many parcels were deleted; fewer than the limit when none is left.
    /// - Throws: What the storage throws.
    func expire(at now: UInt64, limit: Int) async throws -> Int
}

/// A parcel that is to be kept.
package struct ParcelDeposit: Sendable {
    /// Under which admission.
    package var admission: AdmissionID
    /// In which mailbox.
    package var mailbox: MailboxID
    /// What.
    package var parcel: SealedParcel
    /// Until when, in milliseconds since 1970.
    package var until: UInt64
    /// How much room there is.
    package var room: ParcelRoom

    /// Makes a deposit.
    /// - Parameters: as the properties of the same names.
    package init(
        admission: AdmissionID,
        mailbox: MailboxID,
        parcel: SealedParcel,
        until: UInt64,
        room: ParcelRoom
    ) {
        self.admission = admission
        self.mailbox = mailbox
        self.parcel = parcel
        self.until = until
        self.room = room
    }

    /// How much it counts against quotas: the parcel, and what is kept beside it.
    package var byteCount: UInt64 { UInt64(parcel.bytes.count) + Self.rowByteCount }

    /// What a parcel costs beside its bytes.
    package static let rowByteCount: UInt64 = 256
}

/// How much a relay keeps, in bytes.
package struct ParcelRoom: Hashable, Sendable {
    /// Of all admissions together.
    package var total: UInt64
    /// The part of an admission's quota that one mailbox may fill, so that one sender does not fill it for the others.
    package var mailboxShare: UInt64

    /// Makes a room.
    /// - Parameters:
    ///   - total: Of all admissions together.
    ///   - mailboxShare: A quarter unless it is said: 4 stands for a quarter.
    package init(total: UInt64, mailboxShare: UInt64 = 4) {
        self.total = total
        self.mailboxShare = max(mailboxShare, 1)
    }
}

/// What became of a deposit.
package enum ParcelOutcome: Hashable, Sendable {
    /// It is durable.
    case stored
    /// There is no room: under the admission, in the mailbox, or in all.
    case full
    /// The admission is none (any more).
    case notAdmitted
}

/// Why a storage cannot do something.
package enum ParcelStorageError: Error, Hashable, Sendable {
    /// There are as many admissions as a relay has.
    case tooMany
    /// The storage does not answer as it should; the words are for the relay's log.
    case unavailable(String)
}

extension ParcelStorageError: CustomStringConvertible {
    /// The reason, for the relay's log.
    package var description: String {
        switch self {
        case .tooMany: "the relay has as many admissions as it may"
        case .unavailable(let words): "the storage of parcels does not answer as it should: \(words)"
        }
    }
}
