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

/// A message to write, and the condition for writing it.
struct StreamWrite: Sendable {
    /// Its subject.
    var subject: String
    /// Its content.
    var bytes: [UInt8]
    /// The place of the message that it replaces; 0 when there must be none.
    var after: UInt64
}

/// An admission as it is in the stream.
///
/// A front end that puts a parcel writes the row again together with it, all or none: so the row never states less
/// than is kept.
struct AdmissionRow: Codable, Hashable, Sendable {
    /// The name of its bearer, in the words of the relay's owner.
    var name: String
    /// The maximum number of bytes of parcels that are kept under it.
    var quota: UInt64
    /// The time when it was made, in milliseconds since 1970.
    var since: UInt64
    /// Bytes that are kept under it.
    var byteCount: UInt64 = 0
    /// Parcels that are kept under it.
    var parcelCount: UInt64 = 0
    /// Whether it ended, and its parcels are about to be removed.
    var isDismissed = false
    /// Of a pass, the admission under which it was given.
    var giver: [UInt8]?
    /// Of a pass, the time until which it is valid.
    var until: UInt64?

    /// Makes a row of an admission under which nothing is kept.
    init(_ admission: Admission) {
        name = admission.name
        quota = admission.quota
        since = admission.since
        giver = admission.pass?.giver.bytes
        until = admission.pass?.until
    }

    /// The pass's own properties; `nil` for any other admission.
    var pass: Admission.Pass? {
        guard let giver = giver.flatMap({ AdmissionID($0) }), let until else { return nil }
        return Admission.Pass(giver: giver, until: until)
    }

    /// The usage that callers get.
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
    /// The parcel that it belongs to.
    var key: ParcelKey
    /// Its place.
    var sequence: UInt64
    /// The admission under which it was put first.
    var admission: AdmissionID
    /// Bytes of the parcel.
    var byteCount: UInt64
    /// The time until which it was to be kept when it arrived.
    var until: UInt64

    /// The number of bytes that are charged to quotas.
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

    /// The encoding of a deposit's notice.
    static func bytes(of deposit: ParcelDeposit, until: UInt64) -> [UInt8] {
        var writer = WireWriter(capacity: 48)
        writer.writeDigest(deposit.admission.digest)
        writer.writeUInt64(UInt64(deposit.parcel.bytes.count))
        writer.writeUInt64(until)
        return writer.bytes
    }

    /// The encoding of a time.
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
    /// The slot's id.
    var slot: SlotID
    /// Its place.
    var sequence: UInt64
    /// The admission under which it was written.
    var admission: AdmissionID
    /// The slot's value.
    var value: Hash
    /// The time until which it is kept.
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

    /// The encoding of a claim.
    static func bytes(of claim: SlotClaim) -> [UInt8] {
        var writer = WireWriter(capacity: 72)
        writer.writeDigest(claim.admission.digest)
        writer.writeDigest(claim.value.digest)
        writer.writeUInt64(claim.until)
        return writer.bytes
    }
}
