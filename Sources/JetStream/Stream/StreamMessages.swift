import Mailbox
import Wire

/// A message of the stream.
struct StoredMessage: Sendable {
    /// Its subject.
    var subject: String
    /// Its place: later ones have higher ones.
    var sequence: UInt64
    /// Its content.
    var bytes: [UInt8]
}

/// What is written, and what must be true for it.
struct StreamWrite: Sendable {
    /// Where.
    var subject: String
    /// What.
    var bytes: [UInt8]
    /// At which place the message is that it takes the place of; 0 when there must be none.
    var after: UInt64
}

/// An admission as it is in the stream.
///
/// Who puts writes it anew together with the parcel, all or none: so what it says is kept never is less than what is kept.
struct AdmissionRow: Codable, Hashable, Sendable {
    /// For whom it was made.
    var name: String
    /// Bytes that are kept under it at most.
    var quota: UInt64
    /// When it was made.
    var since: UInt64
    /// Bytes that are kept under it.
    var byteCount: UInt64 = 0
    /// Parcels that are kept under it.
    var parcelCount: UInt64 = 0
    /// Whether it ended, and its parcels are about to go.
    var isDismissed = false
    /// Of a pass, the admission under which it was given.
    var giver: [UInt8]?
    /// Of a pass, until when it counts.
    var until: UInt64?

    /// Makes a row of an admission under which nothing is kept.
    init(_ admission: Admission) {
        name = admission.name
        quota = admission.quota
        since = admission.since
        giver = admission.pass?.giver.bytes
        until = admission.pass?.until
    }

    /// What makes it a pass.
    var pass: Admission.Pass? {
        guard let giver = giver.flatMap({ AdmissionID($0) }), let until else { return nil }
        return Admission.Pass(giver: giver, until: until)
    }

    /// What callers are told.
    func usage(_ id: AdmissionID) -> AdmissionUsage {
        AdmissionUsage(
            admission: Admission(id: id, name: name, quota: quota, since: since, pass: pass),
            byteCount: byteCount,
            parcelCount: parcelCount
        )
    }
}

/// A parcel's notice as it is in the stream; it is never written again, so its place is that at which the parcel came.
///
/// ```
/// +--------------+-------------+---------+
/// | admission 32 | byteCount 8 | until 8 |
/// +--------------+-------------+---------+
/// ```
struct NoticeRow: Hashable, Sendable {
    /// Which parcel it is of.
    var key: ParcelKey
    /// Its place.
    var sequence: UInt64
    /// Under which admission it was put first.
    var admission: AdmissionID
    /// Bytes of the parcel.
    var byteCount: UInt64
    /// Until when it was kept when it came.
    var until: UInt64

    /// What it counts against quotas.
    var size: UInt64 { byteCount + ParcelDeposit.rowByteCount }

    /// Reads a notice; `nil` when it is none.
    init?(_ message: StoredMessage, _ subjects: ParcelSubjects) {
        var reader = WireReader(message.bytes)
        guard let key = subjects.key(of: message.subject), let admission = try? reader.readDigest(),
            let byteCount = try? reader.readUInt64(), let until = try? reader.readUInt64(),
            byteCount <= UInt64(UInt32.max)
        else { return nil }
        self.key = key
        sequence = message.sequence
        self.admission = AdmissionID(admission)
        self.byteCount = byteCount
        self.until = until
    }

    /// What is written of a deposit.
    static func bytes(of deposit: ParcelDeposit, until: UInt64) -> [UInt8] {
        var writer = WireWriter(capacity: 48)
        writer.writeDigest(deposit.admission.digest)
        writer.writeUInt64(UInt64(deposit.parcel.bytes.count))
        writer.writeUInt64(until)
        return writer.bytes
    }

    /// What is written of a time.
    static func bytes(ofUntil until: UInt64) -> [UInt8] {
        var writer = WireWriter(capacity: 8)
        writer.writeUInt64(until)
        return writer.bytes
    }

    /// Reads a time; 0, which is long over, when it is none.
    static func until(_ message: StoredMessage?) -> UInt64 {
        guard let message else { return 0 }
        var reader = WireReader(message.bytes)
        return (try? reader.readUInt64()) ?? 0
    }
}

/// A slot as it is in the stream; it is never written again.
///
/// ```
/// +--------------+----------+---------+
/// | admission 32 | value 32 | until 8 |
/// +--------------+----------+---------+
/// ```
struct SlotRow: Hashable, Sendable {
    /// Which slot it is.
    var slot: SlotID
    /// Its place.
    var sequence: UInt64
    /// Under which admission it was written.
    var admission: AdmissionID
    /// What it holds.
    var value: Hash
    /// Until when.
    var until: UInt64

    /// Reads a slot; `nil` when it is none.
    init?(_ message: StoredMessage, _ subjects: ParcelSubjects) {
        var reader = WireReader(message.bytes)
        guard let slot = subjects.slot(of: message.subject), let admission = try? reader.readDigest(),
            let value = try? reader.readDigest(), let until = try? reader.readUInt64()
        else { return nil }
        self.slot = slot
        sequence = message.sequence
        self.admission = AdmissionID(admission)
        self.value = Hash(value)
        self.until = until
    }

    /// What is written of a claim.
    static func bytes(of claim: SlotClaim) -> [UInt8] {
        var writer = WireWriter(capacity: 72)
        writer.writeDigest(claim.admission.digest)
        writer.writeDigest(claim.value.digest)
        writer.writeUInt64(claim.until)
        return writer.bytes
    }
}
