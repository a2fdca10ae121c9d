/// The body of an operation in lane control.
///
/// ```
/// +------------+---------------+---------+
/// | tag varint | length varint | payload |
/// +------------+---------------+---------+
///  1 ZoneGenesis     5 Revocation          9 PublicAccess      13 epochAgain: bytes
///  2 Checkpoint      6 OwnershipTransfer  10 schema: bytes
///  3 reason (UTF-8)  7 Leave              11 epoch: bytes
///  4 Grant           8 CutRaise          12 delivery: bytes     14 DeviceCuts
///                                                              15 keyRequest: bytes
/// 16 TransferOffer  17 TransferAnswer
///  0 and 18… kept as they are
/// ```
///
/// An unknown kind is kept, forwarded byte for byte and otherwise ignored, so that zones may be ruled by newer
/// nodes than some of those that carry them.
package enum ControlBody: Sendable {
    /// The zone's first operation.
    case genesis(ZoneGenesis)
    /// The final state, below which operations may be pruned.
    case checkpoint(Checkpoint)
    /// The end of the zone; the reason is for people, at most 1,024 bytes.
    case zoneDeletion(reason: String)
    /// A right for an account.
    case grant(Grant)
    /// The end of rights, with its cuts.
    case revoke(Revocation)
    /// Another owner.
    case transfer(OwnershipTransfer)
    /// The end of all rights of the author's own account.
    case leave(Leave)
    /// The owner's correction of a cut.
    case raiseCut(CutRaise)
    /// The rights of accounts without a capability.
    case publicAccess(PublicAccess)
    /// The schema of the zone's records: a ``Schema``, decoded where it is needed.
    case schema([UInt8])
    /// A new key of the zone: a ``KeyEpoch``, decoded where it is needed.
    case epoch([UInt8])
    /// A key of the zone for further devices: a ``KeyDelivery``, decoded where it is needed.
    case delivery([UInt8])
    /// An ``Operation`` that began an epoch, of a log that ends below it; decoded where it is needed.
    case epochAgain([UInt8])
    /// The effective sizes of the logs of removed devices of the author's own account.
    case deviceCuts(DeviceCuts)
    /// The keys that the author lacks although another device has stated that it delivered them: a ``KeyRequest``,
    /// decoded where it is needed.
    case keyRequest([UInt8])
    /// An offer of the zone to another account, which has not consented yet.
    case transferOffer(TransferOffer)
    /// That account's answer to the offer.
    case transferAnswer(TransferAnswer)
    /// A kind that a later version knows.
    case unknown(tag: UInt64, bytes: [UInt8])
}

extension ControlBody: EqualByEncoding {
    private static let knownTags: ClosedRange<UInt64> = 1...17

    package func encode(into writer: inout WireWriter) {
        switch self {
        case .genesis(let genesis):
            writer.writeTagged(1) { $0.write(genesis) }
        case .checkpoint(let checkpoint):
            writer.writeTagged(2) { $0.write(checkpoint) }
        case .zoneDeletion(let reason):
            writer.writeTagged(3) { $0.writeUTF8(reason) }
        case .grant(let grant):
            writer.writeTagged(4) { $0.write(grant) }
        case .revoke(let revocation):
            writer.writeTagged(5) { $0.write(revocation) }
        case .transfer(let transfer):
            writer.writeTagged(6) { $0.write(transfer) }
        case .leave(let leave):
            writer.writeTagged(7) { $0.write(leave) }
        case .raiseCut(let raise):
            writer.writeTagged(8) { $0.write(raise) }
        case .publicAccess(let access):
            writer.writeTagged(9) { $0.write(access) }
        case .schema(let bytes):
            writer.writeTagged(10) { $0.writeRaw(bytes) }
        case .epoch(let bytes):
            writer.writeTagged(11) { $0.writeRaw(bytes) }
        case .delivery(let bytes):
            writer.writeTagged(12) { $0.writeRaw(bytes) }
        case .epochAgain(let bytes):
            writer.writeTagged(13) { $0.writeRaw(bytes) }
        case .deviceCuts(let cuts):
            writer.writeTagged(14) { $0.write(cuts) }
        case .keyRequest(let bytes):
            writer.writeTagged(15) { $0.writeRaw(bytes) }
        case .transferOffer(let offer):
            writer.writeTagged(16) { $0.write(offer) }
        case .transferAnswer(let answer):
            writer.writeTagged(17) { $0.write(answer) }
        case .unknown(let tag, let bytes):
            precondition(!Self.knownTags.contains(tag), "a known kind of control operation is written as itself")
            writer.writeTagged(tag) { $0.writeRaw(bytes) }
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let tag = try reader.readVarint()
        var payload = try reader.readNested(maximum: Limits.bodyByteCountMax)
        switch tag {
        case 1: self = .genesis(try ZoneGenesis(from: &payload))
        case 2: self = .checkpoint(try Checkpoint(from: &payload))
        case 3:
            guard payload.remaining <= Limits.reasonByteCountMax else {
                throw .tooLong(limit: Limits.reasonByteCountMax)
            }
            self = .zoneDeletion(reason: try payload.readRestAsString())
        case 4: self = .grant(try Grant(from: &payload))
        case 5: self = .revoke(try Revocation(from: &payload))
        case 6: self = .transfer(try OwnershipTransfer(from: &payload))
        case 7: self = .leave(try Leave(from: &payload))
        case 8: self = .raiseCut(try CutRaise(from: &payload))
        case 9: self = .publicAccess(try PublicAccess(from: &payload))
        case 10: self = .schema(payload.readRest())
        case 11: self = .epoch(payload.readRest())
        case 12: self = .delivery(payload.readRest())
        case 13: self = .epochAgain(payload.readRest())
        case 14: self = .deviceCuts(try DeviceCuts(from: &payload))
        case 15: self = .keyRequest(payload.readRest())
        case 16: self = .transferOffer(try TransferOffer(from: &payload))
        case 17: self = .transferAnswer(try TransferAnswer(from: &payload))
        default: self = .unknown(tag: tag, bytes: payload.readRest())
        }
        try payload.finish()
    }
}
