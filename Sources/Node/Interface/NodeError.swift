/// A refusal or failure of the node; the same codes reach people, scripts and HTTP clients.
package struct NodeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The stable codes; the raw value is part of the API.
    package enum Code: String, Sendable, CaseIterable {
        /// A value has the wrong form or lies outside its range.
        case invalidArgument = "invalid_argument"
        /// No zone has this id or name.
        case zoneUnknown = "zone.unknown"
        /// More than one zone has this name.
        case zoneAmbiguous = "zone.ambiguous"
        /// The zone was deleted.
        case zoneDeleted = "zone.deleted"
        /// The zone belongs to another account, and only its owner may do this.
        case zoneForeign = "zone.foreign"
        /// The zone is its container's default zone, which is neither shared nor deleted.
        case zoneIsDefault = "zone.is_default"
        /// The zone belongs to two accounts, and neither may do this.
        case zoneIsPair = "zone.is_pair"
        /// The key from which zones with this account are derived is not known.
        case accountUnpaired = "account.unpaired"
        /// No zone that the caller may see is in this container.
        case containerUnknown = "container.unknown"
        /// A zone of this name exists in the container.
        case zoneExists = "zone.exists"
        /// No record has this name.
        case recordUnknown = "record.unknown"
        /// The record was deleted.
        case recordDeleted = "record.deleted"
        /// The record is larger than 1 MiB, or has too many fields.
        case recordTooLarge = "record.too_large"
        /// The schema in force does not allow the record that the write would leave; all violations are listed.
        case schemaViolation = "schema.violation"
        /// The schema to be promoted would forbid or drop something that production has; all differences are listed.
        case schemaNotAdditive = "schema.not_additive"
        /// The schema has more types, fields or bytes than one may have.
        case schemaTooLarge = "schema.too_large"
        /// The container has no declaration, and no records from which one could be inferred.
        case schemaUnknown = "schema.unknown"
        /// The record's version is not the one that the request names.
        case versionMismatch = "record.version_mismatch"
        /// The record has no conflict, or not this sibling.
        case conflictUnknown = "conflict.unknown"
        /// No write with this id is quarantined: it was purged, or is effective, or was adopted.
        case quarantineUnknown = "quarantine.unknown"
        /// The write will be restated without a decision, or an operation that it builds on is missing here.
        case quarantineNotNow = "quarantine.not_now"
        /// The write cannot be dropped: without it, its log could not be verified or completed.
        case quarantineNeeded = "quarantine.needed"
        /// The text is no predicate.
        case queryBadPredicate = "query.bad_predicate"
        /// The text is no cursor, or that of another query.
        case queryBadCursor = "query.bad_cursor"
        /// The query searches the text of a field that has no word index.
        case queryNotIndexed = "query.not_indexed"
        /// The request has more writes or messages than one may have, would delete too many records, or would be answered
        /// by too many bytes of records.
        case batchTooLarge = "batch.too_large"
        /// Another write of the same atomic batch was refused, so this one was not made.
        case batchRefused = "batch.refused"
        /// The record does not fit any more into an answer that has others in it.
        case answerTooLarge = "answer.too_large"
        /// The change token belongs to another store or is damaged: read the zone again.
        case tokenExpired = "token.expired"
        /// The ticket's text is mistyped.
        case ticketMalformed = "ticket.malformed"
        /// The ticket is older than ten minutes.
        case ticketExpired = "ticket.expired"
        /// The ticket was used before.
        case ticketUsed = "ticket.used"
        /// No device that offers this ticket was found in time.
        case ticketNotFound = "ticket.not_found"
        /// Too many failed attempts: the offer is closed.
        case ticketAttempts = "ticket.too_many_attempts"
        /// This device's account has other devices, so it cannot join another account.
        case accountHasDevices = "account.has_devices"
        /// No device of the account has this id.
        case deviceUnknown = "device.unknown"
        /// This device has given as many names to the account and its devices as it may.
        case nameTooMany = "name.too_many"
        /// A device cannot remove itself.
        case deviceIsThis = "device.is_this"
        /// This device may read, not write.
        case deviceReadOnly = "device.read_only"
        /// This device has zones, and would not be allowed to write in the account that it was about to join.
        case deviceHasZones = "device.has_zones"
        /// The recovery phrase is not kept on this device, or does not fit.
        case recoveryUnavailable = "account.recovery_unavailable"
        /// The recovery words are mistyped.
        case recoveryMalformed = "recovery.malformed"
        /// No device of the account that the recovery words belong to was found in time.
        case recoveryNotFound = "recovery.not_found"
        /// Other recovery words have taken the place of these.
        case recoveryReplaced = "recovery.replaced"
        /// The recovery words are another account's.
        case recoveryOtherAccount = "recovery.other_account"
        /// The recovery words are those of this device's own account.
        case recoveryNotNeeded = "recovery.not_needed"
        /// The number of open enrolment tokens has reached its limit.
        case enrolmentTooMany = "enrolment.too_many"
        /// The text is no invitation, or not all of it.
        case inviteMalformed = "invite.malformed"
        /// The number of accounts that have joined has reached the invitation's limit.
        case inviteSpent = "invite.spent"
        /// The invitation has expired, or was withdrawn.
        case inviteExpired = "invite.expired"
        /// The inviting side has refused.
        case inviteRefused = "invite.refused"
        /// The invitation is from this account.
        case inviteOwnAccount = "invite.own_account"
        /// The invitation's zone was deleted.
        case inviteZoneGone = "invite.zone_gone"
        /// The inviting side did not accept this account.
        case inviteBadAccount = "invite.bad_account"
        /// The inviting account may no longer delegate the right.
        case inviteNoRight = "invite.no_right"
        /// The number of opened invitations that wait for an answer has reached its limit.
        case joinTooMany = "join.too_many"
        /// No account known here has this name, or an id that begins so.
        case accountUnknown = "account.unknown"
        /// More than one account known here has this name, or an id that begins so.
        case accountAmbiguous = "account.ambiguous"
        /// The account has no such right in the zone.
        case shareUnknown = "share.unknown"
        /// The account is the zone's owner, or this account itself.
        case shareNeedless = "share.needless"
        /// The zone is not offered to any account, or not to this one.
        case transferUnknown = "transfer.unknown"
        /// The account is blocked.
        case accountBlocked = "account.blocked"
        /// No warning with this code is raised, or is acknowledged.
        case warningUnknown = "warning.unknown"
        /// The warning is too severe to be acknowledged.
        case warningCritical = "warning.critical"
        /// The number of open invitations has reached its limit.
        case inviteTooMany = "invite.too_many"
        /// The zone has no such invitation, or no such opened invitation waits for an answer.
        case inviteUnknown = "invite.unknown"
        /// The invitation no longer lets any account in.
        case inviteOver = "invite.over"
        /// No account has such a request to join the zone.
        case requestUnknown = "join_request.unknown"
        /// The request to join was denied, for good.
        case requestDenied = "join_request.denied"
        /// The request to join was granted before.
        case requestGranted = "join_request.granted"
        /// This account has no right in the zone, or no longer has one.
        case rightNone = "right.none"
        /// This account's right in the zone is too low.
        case rightLevel = "right.too_low"
        /// This account may not delegate its right in the zone.
        case rightNotDelegable = "right.not_delegable"
        /// This account did not delegate the right that it wants to revoke.
        case rightNotDescendant = "right.not_descendant"
        /// Only the zone's owner may do this.
        case rightOwnerOnly = "right.owner_only"
        /// An owner cannot leave its own zone.
        case rightOwnerLeaves = "right.owner_leaves"
        /// This account's right in the zone is not yet valid.
        case rightNotYetValid = "right.not_yet_valid"
        /// This account's right in the zone has expired.
        case rightExpired = "right.expired"
        /// This account cannot delegate more than it has.
        case rightWidened = "right.widened"
        /// The owner of a right is not yet known here.
        case rightWaiting = "right.waiting"
        /// The zone cannot be sealed for now: its key is missing here, or another device has to renew it.
        case zoneNoKey = "zone.no_key"
        /// The number of stores that have written in the zone has reached its limit, or that of incarnations of this
        /// device.
        case zoneTooManyActors = "zone.too_many_actors"
        /// This device's control log in the zone has reached the limit that its right sets.
        case zoneControlLogFull = "zone.control_log_full"
        /// The zone is written in clear, since every account may read it.
        case zoneUnsealed = "zone.unsealed"
        /// A part of the record is sealed under a key that is missing here.
        case recordNotReadable = "record.not_readable"
        /// No message has this id here.
        case messageUnknown = "message.unknown"
        /// The message has more than 16 KiB.
        case messageTooLarge = "message.too_large"
        /// No device but this one would get the message.
        case messageNoRecipient = "message.no_recipient"
        /// The message's payload has not arrived in full.
        case messageIncomplete = "message.incomplete"
        /// No such payload was uploaded for the zone.
        case payloadUnknown = "payload.unknown"
        /// There is no such asset here, or the zone does not allow to name it.
        case assetUnknown = "asset.unknown"
        /// The content of the asset is not here, and no device has sent it in time.
        case assetUnavailable = "asset.unavailable"
        /// The content of the asset is not here, and this device fetches no assets of the zone.
        case assetNotWanted = "asset.not_wanted"
        /// The content of the asset is larger than one may be.
        case assetTooLarge = "asset.too_large"
        /// Too few other devices have promised to keep the content of the asset.
        case assetNotSafe = "asset.not_safe"
        /// This device has promised another one to keep the content of the asset.
        case assetPromised = "asset.promised"
        /// The content of the asset is in use here, or is not all here.
        case assetBusy = "asset.busy"
        /// The content of the asset is in a linked file, which is not dropped.
        case assetLinked = "asset.linked"
        /// The path of a file is beneath no root, or is none.
        case linkPath = "link.path"
        /// The file cannot be linked: it is not there, is no regular file, or cannot be read.
        case linkUnusable = "link.unusable"
        /// The file has changed while it was read.
        case linkChanged = "link.changed"
        /// The file does not have the content of the asset.
        case linkDiffers = "link.differs"
        /// The file is not linked to the asset.
        case linkUnknown = "link.unknown"
        /// An account that the message is for may not read the zone.
        case messageNotMember = "message.not_member"
        /// The account's right in the zone does not cover the record.
        case rightTooNarrow = "right.too_narrow"
        /// No peer is connected that may write in the public zone on behalf of this account, which holds no right
        /// there.
        case guestUnreachable = "guest.unreachable"
        /// The peer that was asked to write for this account has not answered: the write may have been made or not.
        case guestUncertain = "guest.uncertain"
        /// The account that administers the public zone has refused.
        case guestRefused = "guest.refused"
        /// The text is no link of a relay.
        case relayBadLink = "relay.bad_link"
        /// The account uses no such relay.
        case relayUnknown = "relay.unknown"
        /// This machine keeps no parcels for other accounts.
        case relayOff = "relay.off"
        /// There is no such admission.
        case admissionUnknown = "admission.unknown"
        /// The number of admissions has reached a relay's limit.
        case admissionTooMany = "admission.too_many"
        /// The caller may not do this.
        case forbidden
        /// The application's records would have more bytes than it may store.
        case storageLimit = "storage.limit"
        /// No space is left: writes are refused until there is some.
        case diskFull = "storage.disk_full"
        /// The storage failed; nothing was written.
        case storageFailed = "storage.failed"
        /// The daemon is starting, recovering or stopping; try again.
        case notReady = "not_ready"
        /// Too many requests wait already; try again.
        case busy
        /// A fault of the daemon; the log has the detail.
        case internalError = "internal"
    }

    /// The code.
    package var code: Code
    /// A description of the fault that names the thing, for people.
    package var message: String
    /// The next step, for people.
    package var fix: String
    /// Facts for programs.
    package var facts: [ErrorFact]
    /// The records that it is about, where they help to continue.
    package var evidence: ErrorEvidence?

    /// Makes an error.
    package init(
        _ code: Code,
        _ message: String,
        fix: String,
        facts: [ErrorFact] = [],
        evidence: ErrorEvidence? = nil
    ) {
        self.code = code
        self.message = message
        self.fix = fix
        self.facts = facts
        self.evidence = evidence
    }

    /// The index of the write that was refused, if this is the refusal of a write of a batch.
    package var index: Int? {
        for case .index(let index) in facts { return index }
        return nil
    }

    /// Returns the error with the place of the write or the message that was refused.
    package func ofWrite(at index: Int) -> NodeError {
        var error = self
        error.facts.append(.index(index))
        return error
    }

    /// Whether the write was refused for its own sake, not because another write of the same batch was.
    package var isItsOwn: Bool {
        !facts.contains { if case .becauseOf = $0 { true } else { false } }
    }

    /// Code, message and fix in one line.
    package var description: String { "\(code.rawValue): \(message) \(fix)" }
}
