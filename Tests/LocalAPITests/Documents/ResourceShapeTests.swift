import KairanInterface
import Testing
import Wire

@testable import LocalAPI

/// The resources of the interface, compared member by member with the schemas of the description.
@Suite struct `The resources` {
    /// A schema's name and the type that has its form.
    struct Row: Sendable, CustomTestStringConvertible {
        var schema: String
        var type: any (Codable & Sendable).Type
        /// Described members that the type does not have, each with the reason.
        var others: [String: String] = [:]
        /// Members that the type reads in more forms than are described, or in fewer, each with the reason.
        var loose: [String: String] = [:]

        var testDescription: String { schema }

        init(
            _ schema: String,
            _ type: any (Codable & Sendable).Type,
            others: [String: String] = [:],
            loose: [String: String] = [:]
        ) {
            (self.schema, self.type, self.others, self.loose) = (schema, type, others, loose)
        }
    }

    private static let rows = [
        Row("Status", DaemonStatus.self), Row("BareStatus", BareStatus.self),
        Row("HealthWarning", HealthNotice.self, loose: ["acknowledged": "older daemons lack it"]),
        Row("HealthCheck", HealthCheck.self, loose: ["statements": "older daemons lack it"]),
        Row("DeviceStatement", HealthCheck.Statement.self),
        Row("ExaminationProgress", CheckProgress.self, others: ["checks": "the last line has them"]),
        Row("Peer", Peer.self), Row("PeerTrouble", Peer.Trouble.self), Row("Account", Account.self),
        Row("AccountDevice", Device.self), Row("NamedDevice", NamedDevice.self),
        Row("NamedAccount", NamedAccount.self), Row("Offer", PairingOffer.self),
        Row("EnrolmentToken", EnrolmentToken.self), Row("Pairing", PairingResult.self),
        Row("Zone", Zone.self), Row("ZonePeer", ZonePeer.self), Row("GoneZone", GoneZone.self),
        Row("ZoneChange", ZoneChange.self, loose: ["reason": "a word that is not known becomes another one"]),
        Row("PublicAccess", KairanInterface.PublicAccess.self, loose: ["link": "only the shares of a zone have it"]),
        Row("AccountStatus", AccountAvailability.self), Row("AccountRestriction", AccountAvailability.Reason.self),
        Row("Container", ContainerSummary.self), Row("ContainerDatabase", ContainerSummary.Database.self),
        Row("ContainerZone", ContainerSummary.ZoneSummary.self),
        Row("PendingWork", PendingWork.self), Row("PendingZone", PendingWork.Entry.self),
        Row("HeldBack", PendingWork.HeldBack.self), Row("AwaitedLog", PendingWork.HeldBack.Missing.self),
        Row("SyncActivity", DaemonEvent.SyncReport.self), Row("Anomaly", DaemonEvent.Anomaly.self),
        Row("Message", Message.self), Row("MessagePayload", MessagePayload.self), Row("Payload", Payload.self),
        Row("Delivery", MessageDelivery.self), Row("MessagePage", MessageList.self),
        Row("AssetCopies", AssetCopies.self), Row("CopyHolder", AssetCopies.Holder.self),
        Row("Asset", Asset.self), Row("AssetPage", AssetPage.self), Row("UploadedAsset", UploadedAsset.self),
        Row("AssetDescription", AssetDescription.self, loose: ["size": "a write may leave it out"]),
        Row("AssetPolicy", AssetPolicySetting.self), Row("AssetPlace", Asset.Place.self),
        Row("AssetExplanation", AssetExplanation.self), Row("AssetCollection", AssetCollection.self),
        Row("UnnamedAsset", AssetCollection.Unnamed.self), Row("AssetChange", AssetChange.self),
        Row("AssetHolder", AssetHolder.self), Row("AssetRelay", AssetRelay.self),
        Row("AssetEviction", AssetEviction.self), Row("AssetLink", AssetLink.self),
        Row("AssetLinkPage", AssetLinkPage.self), Row("LinkedAsset", LinkedAsset.self),
        Row("FinishedMessages", FinishedMessages.self), Row("UnfinishedMessage", FinishedMessages.Refusal.self),
        Row("Share", Share.self), Row("ShareOwner", Share.Owner.self), Row("Participant", Participant.self),
        Row("Capability", ZoneCapability.self), Row("Revocation", KairanInterface.Revocation.self),
        Row("ZoneEpoch", ZoneEpoch.self), Row("RaisedCut", KairanInterface.CutRaise.self),
        Row("TransferOffer", ZoneTransfer.self),
        Row("ZoneLeft", Membership.self, loose: ["state": "there is one word", "rights": "there is one word"]),
        Row("Invite", Invitation.self),
        Row("JoinRequest", KairanInterface.JoinRequest.self), Row("Block", BlockedAccount.self),
        Row("Join", OpenJoin.self), Row("JoinOutcome", Join.self), Row("Relay", Relay.self),
        Row("MadeAdmission", Admission.self, loose: ["link": "only the answer that makes the admission has it"]),
        Row("Record", Record.self), Row("RecordPage", RecordPage.self), Row("QueryPage", QueryAnswer.self),
        Row("Change", Change.self), Row("Changes", ChangeSet.self), Row("Sibling", Sibling.self),
        Row("Conflict", Conflict.self), Row("ConflictPage", ConflictPage.self),
        Row("QuarantinedWrite", QuarantinedWrite.self),
        Row("ExportedRecord", ExportedRecord.self, others: ["parent": "an import writes it"]),
        Row("Index", FieldIndexSummary.self), Row("ImportProgress", ImportProgress.self),
        Row("ImportFailure", ImportFailure.self), Row("ContainerSchema", ContainerSchema.self),
        Row("SchemaPromotion", SchemaPromotion.self), Row("SchemaCheck", SchemaCheck.self),
        Row("SchemaDifference", SchemaCheck.Difference.self), Row("SchemaViolation", SchemaViolation.self),
    ]

    /// Schemas of objects that no resource has: the bodies of requests, the forms of values, and what is compared elsewhere or
    /// decoded in parts.
    private static let others: Set<String> = [
        "Adoption", "AdmissionLink", "Admission", "Approval", "AssetPolicyByRelays", "AssetPolicyBySize",
        "AssetPolicyByWord",
        "AssetValue",
        "Batch", "BatchOutcome", "BatchedWrite",
        "BytesValue",
        "CollectAssets", "CounterValue", "DateValue", "Denial", "DoubleValue", "Event", "EvictAsset", "Fetch",
        "Fetched",
        "FieldSchema",
        "ImportedWrite", "LinkedFile",
        "Inbox", "InviteLink", "Int64Value", "Location", "LocationValue", "NamedDeletion",
        "NamedMessages", "NamedSave", "NewAdmission",
        "NewCustomZone", "NewDefaultZone", "NewEnrolmentToken", "NewInvite", "NewMessage", "NewMessages", "NewName",
        "NewOffer",
        "NewPairZone",
        "NewPetname", "NewShare", "OwnerReference", "OwnerReferenceValue", "Problem", "PublicAccessChange", "Query",
        "RecordReference", "RecordSchema", "RecordTypeSchema", "RecoveryRequest", "RecoveryWords", "ReferenceValue",
        "RelayLink",
        "ResolutionByFields", "ResolutionBySide", "SchemaAttribute", "SetValue", "Ticket", "Transfer", "UnknownValue",
        "UnlinkedFile",
        "WaitingMessages", "WantedIndex", "WantedIndexes", "Write",
    ]

    @Test(arguments: rows) func `have the members that the description gives them, with their types`(row: Row) throws {
        let described = try DescribedSchema(row.schema, in: OpenAPIDocument.text).members()
        let shape = try ResourceShape(of: row.type)
        #expect(Set(shape.members.map(\.name)).union(row.others.keys) == Set(described.keys))
        let sparse = (row.type as? any SparseResource.Type)?.sparseMembers ?? []
        #expect(sparse.isSubset(of: shape.members.map(\.name)))
        for member in shape.members {
            let schema = try #require(described[member.name])
            if !row.loose.keys.contains(member.name) {
                #expect(schema.isRequired == !sparse.contains(member.name), "\(member.name) is there")
                #expect(schema.isNullable == (member.isOptional && schema.isRequired), "\(member.name) is null")
            }
            let type = member.value.type.map { [$0] } ?? Array(schema.types)
            #expect(schema.types.isEmpty || schema.types == Set(type), "\(member.name) is \(member)")
            if !row.loose.keys.contains(member.name) {
                let known = Set(member.value.words?.known ?? [])
                #expect(schema.words?.isSubset(of: known) ?? known.isEmpty, "\(member.name) is one of \(known)")
            }
        }
    }

    @Test func `have no word that is described for none of their members`() throws {
        var known: [String: Set<String>] = [:]
        var described: [String: Set<String>] = [:]
        for row in Self.rows {
            let members = try DescribedSchema(row.schema, in: OpenAPIDocument.text).members()
            for member in try ResourceShape(of: row.type).members {
                guard let words = member.value.words else { continue }
                known[words.key] = Set(words.known)
                described[words.key, default: []].formUnion(members[member.name]?.words ?? [])
            }
        }
        #expect(known == described)
    }

    @Test func `of the description are all compared, or are known to be no resource`() throws {
        let objects = try DescribedSchema.objects(in: OpenAPIDocument.text)
        let compared = Set(Self.rows.map(\.schema))
        #expect(objects.subtracting(compared) == Self.others.subtracting(compared))
    }
}
