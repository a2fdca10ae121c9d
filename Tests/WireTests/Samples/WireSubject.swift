import TestSupport
import Testing
import Wire

/// A wire type as the argument of a test about all of them.
struct WireSubject: Sendable, CustomTestStringConvertible {
    /// The type's name.
    let name: String
    /// A number that makes the type's sequence of samples its own.
    let seed: UInt64
    /// Makes a value and returns its encoding and whether decoding gave an equal value.
    let roundTrip: @Sendable (inout SeededGenerator) throws -> (bytes: [UInt8], isEqual: Bool)
    /// Decodes and encodes again; `nil` when refused.
    let reencode: @Sendable ([UInt8]) -> [UInt8]?

    var testDescription: String { name }

    private init<Value: WireSample>(_: Value.Type) {
        let name = "\(Value.self)"
        self.name = name
        seed = name.utf8.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        roundTrip = { generator in
            let value = Value.sample(&generator)
            let bytes = value.encoded
            return (bytes, try Value(decoding: bytes) == value)
        }
        reencode = { bytes in
            // A refusal is one of the two outcomes that the tests allow.
            try? Value(decoding: bytes).encoded
        }
    }

    /// Every wire type.
    static let all: [WireSubject] = causality + operations + logs + epochs + schemas + capabilities + account + messages

    private static let causality = [
        WireSubject(DeviceID.self), WireSubject(Incarnation.self), WireSubject(Signature64.self),
        WireSubject(Dot.self), WireSubject(VersionVector.self), WireSubject(HybridTime.self),
    ]
    private static let operations = [
        WireSubject(Lane.self), WireSubject(BatchPlace.self), WireSubject(OperationHeader.self),
        WireSubject(Operation.self), WireSubject(AssetDescriptor.self),
        WireSubject(CounterState.self), WireSubject(SetState.self), WireSubject(FieldValue.self),
        WireSubject(FieldEntry.self), WireSubject(RecordField.self), WireSubject(RecordBody.self),
    ]
    private static let logs = [
        WireSubject(LogKey.self), WireSubject(LogPosition.self), WireSubject(TreeHead.self),
        WireSubject(SignedTreeHead.self), WireSubject(SubtreeGap.self), WireSubject(LogItem.self),
        WireSubject(Run.self), WireSubject(ForkProof.self), WireSubject(Checkpoint.self),
        WireSubject(ZoneGenesis.self), WireSubject(ControlBody.self),
    ]
    private static let epochs = [
        WireSubject(SealedBody.self), WireSubject(KeyEnvelope.self), WireSubject(ChainLink.self),
        WireSubject(KeyEpoch.self), WireSubject(KeyDelivery.self), WireSubject(KeyRequest.self),
    ]
    private static let schemas = [
        WireSubject(SchemaAttribute.self), WireSubject(FieldSchema.self), WireSubject(RecordTypeSchema.self),
        WireSubject(Schema.self),
    ]
    private static let capabilities = [
        WireSubject(AccessLevel.self), WireSubject(Rights.self), WireSubject(CapabilityResource.self),
        WireSubject(Caveats.self), WireSubject(Capability.self), WireSubject(SignedCapability.self),
        WireSubject(Grant.self), WireSubject(Revocation.self), WireSubject(OwnershipTransfer.self),
        WireSubject(TransferConsent.self), WireSubject(SignedTransferConsent.self), WireSubject(TransferOffer.self),
        WireSubject(TransferAnswer.self),
        WireSubject(Leave.self), WireSubject(CutRaise.self), WireSubject(PublicRights.self),
        WireSubject(PublicAccess.self),
    ]
    private static let account = [
        WireSubject(DeviceRole.self), WireSubject(DeviceCertificate.self),
        WireSubject(SignedDeviceCertificate.self), WireSubject(DeviceRemoval.self), WireSubject(Naming.self),
        WireSubject(AccountAction.self),
        WireSubject(AccountEntry.self), WireSubject(SignedAccountEntry.self),
    ]
    private static let messages = [
        WireSubject(NibblePrefix.self), WireSubject(HandshakePayload.self), WireSubject(AccountHave.self),
        WireSubject(AccountEntries.self), WireSubject(RangeDigests.self), WireSubject(RangeItems.self),
        WireSubject(ZoneState.self), WireSubject(Acknowledge.self), WireSubject(Ping.self), WireSubject(Pong.self),
        WireSubject(Pause.self), WireSubject(PairRequest.self), WireSubject(AccountSecrets.self),
        WireSubject(RecoverySecret.self),
        WireSubject(PairWelcome.self), WireSubject(PairRefusal.self), WireSubject(RecoverRequest.self),
        WireSubject(PairTerms.self), WireSubject(ZoneTerms.self), WireSubject(JoinRequest.self),
        WireSubject(JoinAnswer.self), WireSubject(JoinRefusal.self), WireSubject(GuestRecordWrite.self),
        WireSubject(GuestWrite.self), WireSubject(GuestResult.self), WireSubject(GuestAnswer.self),
        WireSubject(PayloadOutline.self), WireSubject(PayloadOutlineMessage.self), WireSubject(PayloadChunk.self),
        WireSubject(MessagePart.self), WireSubject(ProgramNote.self), WireSubject(ReachRequest.self),
        WireSubject(ReachAnswer.self), WireSubject(RetentionRequest.self), WireSubject(RetentionAnswer.self),
        WireSubject(PeerMessage.self),
    ]
}
