package import Wire

/// The storage of a relay's parcels and admissions.
///
/// All that it answers is durable; several front ends may use one at the same time.
///
/// A sender puts a lost parcel again: a storage may be slow, or lose all parcels, at no cost but time. It must not
/// deliver a parcel that was never put.
///
/// Slots are different: their users rely on a written value. A storage that loses a slot, or is rolled back, lets it
/// be written once more.
package protocol ParcelStorage: Sendable {
    /// The name of the storage, in a word: `sqlite` or `jetstream`.
    var backend: String { get }

    /// Adds an admission.
    /// - Throws: ``ParcelStorageError/tooMany`` beyond ``Admission/countMax``, or the storage's error.
    func admit(_ admission: Admission) async throws

    /// Makes passes under an admission, and prolongs those that it gave before.
    ///
    /// An id that is another admission's is skipped.
    /// - Parameters:
    ///   - passes: The hashes of their secrets, at most `Limits.passCountMax`.
    ///   - giver: The admission; one that is a pass itself gives none.
    ///   - now: Milliseconds since 1970.
    ///   - until: The end of their validity, in milliseconds since 1970.
    /// - Returns: The valid ones: no more than `Limits.passCountMax` under one admission, and ``Admission/countMax``
    ///   in all.
    /// - Throws: The storage's error.
    func give(
        _ passes: [AdmissionID],
        under giver: AdmissionID,
        at now: UInt64,
        until: UInt64
    ) async throws -> [AdmissionID]

    /// Ends an admission, with all passes and parcels under it.
    /// - Returns: Whether there was one.
    func dismiss(_ admission: AdmissionID) async throws -> Bool

    /// Returns all admissions with their usage, by the time at which they were made.
    func admissions() async throws -> [AdmissionUsage]

    /// Returns an admission; `nil` when there is none (any more).
    func admission(_ id: AdmissionID) async throws -> AdmissionUsage?

    /// Keeps a parcel.
    ///
    /// One that is in the mailbox already is kept for that much longer, and takes its room once.
    func put(_ deposit: ParcelDeposit) async throws -> ParcelOutcome

    /// Returns the parcels in mailboxes: in the order of the mailboxes, and in each in order of arrival.
    /// - Parameters:
    ///   - mailboxes: At most `Limits.mailboxCountMax`.
    ///   - limit: The maximum number of parcels to name.
    /// - Returns: The parcels.
    /// - Throws: The storage's error.
    func parcels(in mailboxes: [MailboxID], limit: Int) async throws -> [ParcelNotice]

    /// Returns a parcel's bytes; `nil` when it is not in the mailbox (any more).
    func parcel(_ parcel: ParcelID, in mailbox: MailboxID) async throws -> [UInt8]?

    /// Deletes parcels of a mailbox; those that are not there do not matter.
    func remove(_ parcels: [ParcelID], from mailbox: MailboxID) async throws

    /// Those of some parcels that are in a mailbox, in their order.
    func held(_ parcels: [ParcelID], in mailbox: MailboxID) async throws -> [ParcelID]

    /// Writes a slot, unless it is written already: the first value stays, and answers every later claim.
    ///
    /// Concurrent claims are all answered with the same value.
    /// - Parameter claim: The slot, and the value to write.
    /// - Returns: The value that the slot holds now.
    /// - Throws: The storage's error; the slot may be written or not then, and another claim finds out.
    func claim(_ claim: SlotClaim) async throws -> SlotOutcome

    /// Deletes parcels and slots whose time is over, and ends such passes.
    /// - Parameters:
    ///   - now: Milliseconds since 1970.
    ///   - limit: The maximum number of parcels to delete.
    /// - Returns: The number of deleted parcels; fewer than the limit when none is left.
    /// - Throws: The storage's error.
    func expire(at now: UInt64, limit: Int) async throws -> Int
}

/// A parcel that is to be kept.
package struct ParcelDeposit: Sendable {
    /// The admission that it is kept under.
    package var admission: AdmissionID
    /// The mailbox.
    package var mailbox: MailboxID
    /// The parcel.
    package var parcel: SealedParcel
    /// The end of its time, in milliseconds since 1970.
    package var until: UInt64
    /// The room that the relay has.
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

    /// The bytes that it takes of quotas: the parcel, and the data kept beside it.
    package var byteCount: UInt64 { UInt64(parcel.bytes.count) + Self.rowByteCount }

    /// The bytes that a parcel takes beside its own.
    package static let rowByteCount: UInt64 = 256
}

/// The room that a relay has for parcels, in bytes.
package struct ParcelRoom: Hashable, Sendable {
    /// The bytes of all admissions together.
    package var total: UInt64
    /// The part of an admission's quota that one mailbox may fill, so that one sender does not fill it for the others.
    package var mailboxShare: UInt64

    /// Makes a room.
    /// - Parameters:
    ///   - total: The bytes of all admissions together.
    ///   - mailboxShare: The share as a divisor: the default of 4 stands for a quarter.
    package init(total: UInt64, mailboxShare: UInt64 = 4) {
        self.total = total
        self.mailboxShare = max(mailboxShare, 1)
    }
}

/// The outcome of a deposit.
package enum ParcelOutcome: Hashable, Sendable {
    /// It is durable.
    case stored
    /// There is no room: under the admission, in the mailbox, or in all.
    case full
    /// There is no such admission (any more).
    case notAdmitted
}

/// The reason why a storage fails.
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
        case .tooMany: "the relay has the maximum number of admissions"
        case .unavailable(let words): "the storage of parcels does not answer as it should: \(words)"
        }
    }
}
