/// A reply of a relay that keeps mailboxes.
package enum MailboxReply: Hashable, Sendable {
    /// The admission is valid: the bytes that may be kept under it, the bytes that are, and the relay's storage
    /// backend.
    case entered(quota: UInt64, used: UInt64, backend: String)
    /// The parcel is durable, and is kept until then at most, in milliseconds since 1970 by the relay's clock.
    case stored(ParcelID, until: UInt64)
    /// The parcels in the mailboxes, by mailbox in order of arrival.
    case listed([ParcelNotice], isComplete: Bool)
    /// A parcel.
    case parcel([UInt8])
    /// A parcel that was asked for is not there.
    case missing(ParcelID)
    /// The parcels to delete are gone.
    case removed
    /// Those of the parcels that are there.
    case held([ParcelID])
    /// The request is refused.
    case refused(MailboxRefusal)
    /// Sent without a request: a parcel has arrived in this mailbox.
    case arrived(MailboxID)
    /// The value in the slot: that of the request, or one that was written before.
    case claimed(Hash)
    /// The passes that are valid.
    case given([AdmissionID])
}

/// One parcel in a mailbox.
package struct ParcelNotice: Hashable, Sendable {
    /// The mailbox.
    package var mailbox: MailboxID
    /// The parcel's id.
    package var parcel: ParcelID
    /// The parcel's size in bytes.
    package var byteCount: UInt64

    /// Makes a notice.
    /// - Parameters: as the properties of the same names.
    package init(mailbox: MailboxID, parcel: ParcelID, byteCount: UInt64) {
        self.mailbox = mailbox
        self.parcel = parcel
        self.byteCount = byteCount
    }
}

/// The reason why a relay refuses a request.
package enum MailboxRefusal: UInt8, Hashable, Sendable, CaseIterable {
    /// The admission does not exist, or no longer exists.
    case notAdmitted = 1
    /// There is no room for the parcel, or the slot: under the admission, in the mailbox, or on the relay.
    case full = 2
    /// The relay cannot do it now.
    case unavailable = 3
}

extension ParcelNotice: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(mailbox)
        writer.write(parcel)
        writer.writeVarint(byteCount)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        mailbox = try MailboxID(from: &reader)
        parcel = try ParcelID(from: &reader)
        byteCount = try reader.readVarint()
        guard byteCount <= UInt64(Limits.parcelByteCountMax) else { throw .invalidValue("byteCount") }
    }
}

extension MailboxReply {
    /// The byte that stands for the kind of answer.
    package var tag: UInt8 {
        switch self {
        case .entered: 1
        case .stored: 2
        case .listed: 3
        case .parcel: 4
        case .missing: 5
        case .removed: 6
        case .held: 7
        case .refused: 8
        case .arrived: 9
        case .claimed: 10
        case .given: 11
        }
    }
}

extension MailboxReply: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(tag)
        switch self {
        case .entered(let quota, let used, let backend):
            writer.writeVarint(quota)
            writer.writeVarint(used)
            writer.writeString(backend)
        case .stored(let parcel, let until):
            writer.write(parcel)
            writer.writeVarint(until)
        case .listed(let notices, let isComplete):
            writer.writeBool(isComplete)
            writer.writeList(notices)
        case .parcel(let bytes):
            writer.writeBytes(bytes)
        case .missing(let parcel):
            writer.write(parcel)
        case .removed:
            break
        case .held(let parcels):
            writer.writeList(parcels)
        case .refused(let refusal):
            writer.writeByte(refusal.rawValue)
        case .arrived(let mailbox):
            writer.write(mailbox)
        case .claimed(let value):
            writer.write(value)
        case .given(let passes):
            writer.writeList(passes)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let tag = try reader.readByte()
        switch tag {
        case 1:
            let quota = try reader.readVarint()
            let used = try reader.readVarint()
            self = .entered(quota: quota, used: used, backend: try reader.readString(maximum: Limits.nameByteCountMax))
        case 2:
            let parcel = try ParcelID(from: &reader)
            self = .stored(parcel, until: try reader.readVarint())
        case 3:
            let isComplete = try reader.readBool()
            let notices: [ParcelNotice] = try reader.readList(maximum: Limits.parcelCountMax, itemByteCountMin: 65)
            self = .listed(notices, isComplete: isComplete)
        case 4:
            self = .parcel(try reader.readBytes(maximum: Limits.parcelByteCountMax))
        case 5:
            self = .missing(try ParcelID(from: &reader))
        case 6:
            self = .removed
        case 7:
            self = .held(try reader.readList(maximum: Limits.parcelCountMax, itemByteCountMin: 32))
        case 8:
            guard let refusal = MailboxRefusal(rawValue: try reader.readByte()) else { throw .invalidValue("refusal") }
            self = .refused(refusal)
        case 9:
            self = .arrived(try MailboxID(from: &reader))
        case 10:
            self = .claimed(try Hash(from: &reader))
        case 11:
            self = .given(try reader.readList(maximum: Limits.passCountMax, itemByteCountMin: 32))
        default:
            throw .unknownTag(UInt64(tag))
        }
    }
}
