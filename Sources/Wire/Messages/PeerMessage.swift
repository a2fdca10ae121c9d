/// One message between two nodes, inside their channel.
///
/// ```
/// +-------+---------------------------------------------+
/// | tag 1 | the message's fields, to the end            |   see docs/protocol/messages.md for the tags
/// +-------+---------------------------------------------+
/// ```
///
/// An unknown tag is refused: unlike operations, messages are never carried on for others.
package enum PeerMessage: Hashable, Sendable {
    /// Heads of an account's log.
    case accountHave(AccountHave)
    /// Entries of an account's log.
    case accountEntries(AccountEntries)
    /// Digests of ranges of shared zones.
    case rangeDigests(RangeDigests)
    /// Shared zones of small ranges.
    case rangeItems(RangeItems)
    /// The state of a zone's logs at the sender.
    case zoneState(ZoneState)
    /// The next stretch of a log.
    case run(Run)
    /// The log sizes that are durable at the sender.
    case acknowledge(Acknowledge)
    /// Asks for a sign of life.
    case ping(Ping)
    /// Answers a ping.
    case pong(Pong)
    /// Asks for no more runs.
    case pause(Pause)
    /// Takes runs again.
    case resume
    /// Two histories of one log.
    case forkProof(ForkProof)
    /// The genesis of a zone of several accounts, and its tag key.
    case zoneTerms(ZoneTerms)
    /// Asks for a page of the live set under a checkpoint.
    case liveSetRequest(LiveSetRequest)
    /// A page of the live set.
    case liveSetPage(LiveSetPage)
    /// Sends the sender's copy of the secret that belongs to the account's recovery words.
    case recoverySecret(RecoverySecret)
    /// Sends the present key of the account's devices to a device that called by an earlier one.
    case fleetSecret(FleetSecret)
    /// The program that runs at the sender; sent only to peers that are known to speak revision 1 or later.
    case program(ProgramNote)
    /// Asks to be taken into the account.
    case pairRequest(PairRequest)
    /// Adds the device to the account.
    case pairWelcome(PairWelcome)
    /// Refuses to add the device.
    case pairRefusal(PairRefusal)
    /// Reports that the new device has stored the welcome.
    case pairDone
    /// Asks to be added to the account, with the recovery key.
    case recoverRequest(RecoverRequest)
    /// States the rights that the device would have.
    case pairTerms(PairTerms)
    /// Asks for the right that an invitation promises.
    case joinRequest(JoinRequest)
    /// Reports the progress of a join request.
    case joinAnswer(JoinAnswer)
    /// Refuses a join request.
    case joinRefusal(JoinRefusal)
    /// Asks for something to be written in a public zone.
    case guestWrite(GuestWrite)
    /// Reports the outcome of a guest's write.
    case guestAnswer(GuestAnswer)
    /// Asks for a payload's outline, or for some of its chunks.
    case payloadRequest(PayloadRequest)
    /// The hashes of a payload's chunks.
    case payloadOutline(PayloadOutlineMessage)
    /// A chunk of a payload.
    case payloadChunk(PayloadChunk)
    /// Reports that the sender does not hold the requested part of a payload.
    case payloadMissing(PayloadRequest)
    /// Asks a relay to keep a payload.
    case custodyRequest(CustodyRequest)
    /// Reports the state of a payload at the relay.
    case custodyAnswer(CustodyAnswer)
    /// Releases a relay from keeping a payload.
    case custodyRelease(CustodyRequest)
    /// Asks whether the peer can connect to the sender; sent only to peers that are known to speak revision 1 or
    /// later.
    case reachRequest(ReachRequest)
    /// Reports the outcome of that attempt.
    case reachAnswer(ReachAnswer)
    /// Asks which payloads a device holds, or promises to keep; sent only to peers that are known to speak revision 1 or later.
    case retentionRequest(RetentionRequest)
    /// Answers about these payloads.
    case retentionAnswer(RetentionAnswer)
    /// A part of a message that is too long for its channel.
    case part(MessagePart)
}

extension PeerMessage {
    /// The revision of the messages that this program knows: 1 is all of this list.
    ///
    /// A program that states no revision knows those without ``program(_:)``, ``reachRequest(_:)``, ``reachAnswer(_:)``, ``retentionRequest(_:)``
    /// and ``retentionAnswer(_:)``, and refuses these as unknown. A change that adds a message raises the number, and sends the message only to
    /// programs that state as much.
    package static let revision: UInt8 = 1

    /// The byte that stands for the kind of message.
    package var tag: UInt8 {
        switch self {
        case .accountHave: 1
        case .accountEntries: 2
        case .rangeDigests: 3
        case .rangeItems: 4
        case .zoneState: 5
        case .run: 6
        case .acknowledge: 7
        case .ping: 8
        case .pong: 9
        case .pause: 10
        case .resume: 11
        case .forkProof: 12
        case .zoneTerms: 13
        case .liveSetRequest: 14
        case .liveSetPage: 15
        case .recoverySecret: 16
        case .fleetSecret: 17
        case .program: 18
        case .pairRequest: 20
        case .pairWelcome: 21
        case .pairRefusal: 22
        case .pairDone: 23
        case .recoverRequest: 24
        case .pairTerms: 25
        case .joinRequest: 30
        case .joinAnswer: 31
        case .joinRefusal: 32
        case .guestWrite: 40
        case .guestAnswer: 41
        case .payloadRequest: 50
        case .payloadOutline: 51
        case .payloadChunk: 52
        case .payloadMissing: 53
        case .custodyRequest: 54
        case .custodyAnswer: 55
        case .custodyRelease: 56
        case .reachRequest: 57
        case .reachAnswer: 58
        case .part: 60
        case .retentionRequest: 61
        case .retentionAnswer: 62
        }
    }
}

extension PeerMessage: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(tag)
        switch self {
        case .accountHave(let message): writer.write(message)
        case .accountEntries(let message): writer.write(message)
        case .rangeDigests(let message): writer.write(message)
        case .rangeItems(let message): writer.write(message)
        case .zoneState(let message): writer.write(message)
        case .run(let message): writer.write(message)
        case .acknowledge(let message): writer.write(message)
        case .ping(let message): writer.write(message)
        case .pong(let message): writer.write(message)
        case .pause(let message): writer.write(message)
        case .forkProof(let message): writer.write(message)
        case .zoneTerms(let message): writer.write(message)
        case .liveSetRequest(let message): writer.write(message)
        case .liveSetPage(let message): writer.write(message)
        case .recoverySecret(let message): writer.write(message)
        case .fleetSecret(let message): writer.write(message)
        case .program(let message): writer.write(message)
        case .pairRequest(let message): writer.write(message)
        case .pairWelcome(let message): writer.write(message)
        case .pairRefusal(let message): writer.write(message)
        case .recoverRequest(let message): writer.write(message)
        case .pairTerms(let message): writer.write(message)
        case .joinRequest(let message): writer.write(message)
        case .joinAnswer(let message): writer.write(message)
        case .joinRefusal(let message): writer.write(message)
        case .guestWrite(let message): writer.write(message)
        case .guestAnswer(let message): writer.write(message)
        case .payloadRequest(let message), .payloadMissing(let message): writer.write(message)
        case .payloadOutline(let message): writer.write(message)
        case .payloadChunk(let message): writer.write(message)
        case .custodyRequest(let message), .custodyRelease(let message): writer.write(message)
        case .custodyAnswer(let message): writer.write(message)
        case .reachRequest(let message): writer.write(message)
        case .reachAnswer(let message): writer.write(message)
        case .part(let message): writer.write(message)
        case .retentionRequest(let message): writer.write(message)
        case .retentionAnswer(let message): writer.write(message)
        case .resume, .pairDone: break
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let tag = try reader.readByte()
        let limit =
            switch tag {
            case 6: Limits.messageByteCountMax
            case 51: Limits.outlineMessageByteCountMax
            default: Limits.smallMessageByteCountMax
            }
        guard reader.remaining < limit else { throw .tooLong(limit: limit) }
        switch tag {
        case 1: self = .accountHave(try AccountHave(from: &reader))
        case 2: self = .accountEntries(try AccountEntries(from: &reader))
        case 3: self = .rangeDigests(try RangeDigests(from: &reader))
        case 4: self = .rangeItems(try RangeItems(from: &reader))
        case 5: self = .zoneState(try ZoneState(from: &reader))
        case 6: self = .run(try Run(from: &reader))
        case 7: self = .acknowledge(try Acknowledge(from: &reader))
        case 8: self = .ping(try Ping(from: &reader))
        case 9: self = .pong(try Pong(from: &reader))
        case 10: self = .pause(try Pause(from: &reader))
        case 11: self = .resume
        case 12: self = .forkProof(try ForkProof(from: &reader))
        case 13: self = .zoneTerms(try ZoneTerms(from: &reader))
        case 16: self = .recoverySecret(try RecoverySecret(from: &reader))
        case 17: self = .fleetSecret(try FleetSecret(from: &reader))
        case 18: self = .program(try ProgramNote(from: &reader))
        case 14: self = .liveSetRequest(try LiveSetRequest(from: &reader))
        case 15: self = .liveSetPage(try LiveSetPage(from: &reader))
        case 20: self = .pairRequest(try PairRequest(from: &reader))
        case 21: self = .pairWelcome(try PairWelcome(from: &reader))
        case 22: self = .pairRefusal(try PairRefusal(from: &reader))
        case 23: self = .pairDone
        case 24: self = .recoverRequest(try RecoverRequest(from: &reader))
        case 25: self = .pairTerms(try PairTerms(from: &reader))
        case 30: self = .joinRequest(try JoinRequest(from: &reader))
        case 31: self = .joinAnswer(try JoinAnswer(from: &reader))
        case 32: self = .joinRefusal(try JoinRefusal(from: &reader))
        case 40: self = .guestWrite(try GuestWrite(from: &reader))
        case 41: self = .guestAnswer(try GuestAnswer(from: &reader))
        case 50: self = .payloadRequest(try PayloadRequest(from: &reader))
        case 51: self = .payloadOutline(try PayloadOutlineMessage(from: &reader))
        case 52: self = .payloadChunk(try PayloadChunk(from: &reader))
        case 53: self = .payloadMissing(try PayloadRequest(from: &reader))
        case 54: self = .custodyRequest(try CustodyRequest(from: &reader))
        case 55: self = .custodyAnswer(try CustodyAnswer(from: &reader))
        case 56: self = .custodyRelease(try CustodyRequest(from: &reader))
        case 57: self = .reachRequest(try ReachRequest(from: &reader))
        case 58: self = .reachAnswer(try ReachAnswer(from: &reader))
        case 60: self = .part(try MessagePart(from: &reader))
        case 61: self = .retentionRequest(try RetentionRequest(from: &reader))
        case 62: self = .retentionAnswer(try RetentionAnswer(from: &reader))
        default: throw .unknownTag(UInt64(tag))
        }
    }
}
