/// A device's request to a relay that keeps mailboxes; answered in order, each by one `MailboxReply`.
///
/// ```
/// +-------+---------------------------------------------+
/// | tag 1 | the request's fields, to the end            |   see docs/protocol/mailbox.md for the tags
/// +-------+---------------------------------------------+
/// ```
package enum MailboxRequest: Hashable, Sendable {
    /// Shows an admission; the first request of a session.
    case enter(secret: [UInt8])
    /// Leaves a parcel, under a put key.
    case put(MailboxProof, parcel: [UInt8])
    /// Asks for the contents of mailboxes, under their get keys, and to be notified from now on of new parcels.
    case look([MailboxProof])
    /// Asks for a parcel, under a get key.
    case fetch(MailboxProof, ParcelID)
    /// Deletes parcels that were fetched, under a get key.
    case remove(MailboxProof, [ParcelID])
    /// Asks which parcels are still there, under the put key; the withdrawn ones are deleted.
    case check(MailboxProof, [ParcelID], withdrawing: [ParcelID])
    /// Writes a value into a slot, unless it holds one; held until then, in milliseconds since 1970.
    case claim(SlotID, value: Hash, until: UInt64)
    /// Makes passes valid, by the hashes of their secrets, for devices that share a zone with the sender.
    case give([AdmissionID])
}

extension MailboxRequest {
    /// The number of bytes of the secret of an admission.
    package static let secretByteCount = 32

    /// The byte that stands for the kind of request.
    package var tag: UInt8 {
        switch self {
        case .enter: 1
        case .put: 2
        case .look: 3
        case .fetch: 4
        case .remove: 5
        case .check: 6
        case .claim: 7
        case .give: 8
        }
    }
}

extension MailboxRequest: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(tag)
        switch self {
        case .enter(let secret):
            writer.writeFixed(secret, count: Self.secretByteCount)
        case .put(let proof, let parcel):
            writer.write(proof)
            writer.writeBytes(parcel)
        case .look(let proofs):
            writer.writeList(proofs)
        case .fetch(let proof, let parcel):
            writer.write(proof)
            writer.write(parcel)
        case .remove(let proof, let parcels):
            writer.write(proof)
            writer.writeList(parcels)
        case .check(let proof, let parcels, let withdrawn):
            writer.write(proof)
            writer.writeList(parcels)
            writer.writeList(withdrawn)
        case .claim(let slot, let value, let until):
            writer.write(slot)
            writer.write(value)
            writer.writeVarint(until)
        case .give(let passes):
            writer.writeList(passes)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let tag = try reader.readByte()
        switch tag {
        case 1:
            self = .enter(secret: try reader.readFixed(Self.secretByteCount))
        case 2:
            let proof = try MailboxProof(from: &reader)
            let parcel = try reader.readBytes(maximum: Limits.parcelByteCountMax)
            guard parcel.count >= Limits.parcelByteCountMin else { throw .invalidValue("parcel") }
            self = .put(proof, parcel: parcel)
        case 3:
            self = .look(try reader.readList(maximum: Limits.mailboxCountMax, itemByteCountMin: 64))
        case 4:
            self = .fetch(try MailboxProof(from: &reader), try ParcelID(from: &reader))
        case 5:
            let proof = try MailboxProof(from: &reader)
            self = .remove(proof, try reader.readList(maximum: Limits.parcelCountMax, itemByteCountMin: 32))
        case 6:
            let proof = try MailboxProof(from: &reader)
            let parcels: [ParcelID] = try reader.readList(maximum: Limits.parcelCountMax, itemByteCountMin: 32)
            let withdrawn: [ParcelID] = try reader.readList(maximum: Limits.parcelCountMax, itemByteCountMin: 32)
            self = .check(proof, parcels, withdrawing: withdrawn)
        case 7:
            let slot = try SlotID(from: &reader)
            let value = try Hash(from: &reader)
            self = .claim(slot, value: value, until: try reader.readVarint())
        case 8:
            self = .give(try reader.readList(maximum: Limits.passCountMax, itemByteCountMin: 32))
        default:
            throw .unknownTag(UInt64(tag))
        }
    }
}

extension MailboxRequest: UnprintedSecret {
    package var description: String { "mailbox request \(tag)" }
}
