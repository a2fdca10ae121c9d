package import KairanInterface
package import Queries
package import Wire

/// The interface of the node for programs and people on this machine.
///
/// The local socket is one caller; tests are another. All functions may be called at any time from any task. They
/// answer from durable state, and their changes are durable when they return.
package protocol NodeAPI: SharingAPI, InvitingAPI, JoiningAPI, SchemaAPI, ContainerAPI, MessagingAPI, RelayAPI,
    MetricsAPI, NamingAPI
{
    /// The same node for a caller that sees only a part of its zones: lists, feeds and events leave the others out, and a
    /// zone outside the scope is `zoneUnknown` like one that does not exist.
    ///
    /// The functions that are not about zones (account, devices, peers, pairing) are not narrowed: they are for
    /// callers that see everything.
    func narrowed(to scope: ZoneScope) -> any NodeAPI

    /// Returns the state of the node.
    func status() async throws(NodeError) -> NodeStatus
    /// The other devices of the account, and any device that is connected.
    ///
    /// Connected ones that were silent for two seconds are pinged first; the answer waits for them, for a second at most.
    /// - Parameter pinging: Whether all that are connected are pinged, however short they were silent.
    /// - Returns: Ordered by id.
    /// - Throws: `NodeError` when the node cannot answer.
    func peers(pinging: Bool) async throws(NodeError) -> [PeerStatus]

    /// Examines this machine, its network and its work, and reports faults with their remedies.
    ///
    /// Reads the whole database, pings connected devices, for a second at most, and asks them to connect to this one, which
    /// takes up to five seconds.
    /// - Parameter progress: Takes the progress before each step, in order.
    /// - Returns: All checks, then the warnings that are no check's finding.
    /// - Throws: Nothing for a fault that a check finds: that is a finding.
    /// - Complexity: O(size of the store).
    func examine(noting progress: @Sendable (CheckProgress) -> Void) async throws(NodeError) -> [CheckOutcome]
    /// Marks a warning as acknowledged, also over restarts, until it becomes worse.
    /// - Parameter code: The warning's.
    /// - Throws: `warningUnknown` where no such warning is raised, `warningCritical`.
    func acknowledge(warning code: String) async throws(NodeError)
    /// Shows warnings with a code again.
    /// - Throws: `warningUnknown` where none was acknowledged.
    func withdrawAcknowledgement(of code: String) async throws(NodeError)

    /// The account with its devices, in the order in which they were added.
    func account() async throws(NodeError) -> AccountStatus
    /// Removes a device from the account for good: its sessions end, and its later writes are quarantined.
    /// - Parameters:
    ///   - device: The device.
    ///   - words: The recovery words, which sign the removal then; `nil` = this device signs it. No device undoes a removal by
    ///     the words, and if the device had removed this one, this one is in the account again.
    /// - Throws: `deviceUnknown`, `deviceIsThis`, `forbidden`; with words also `recoveryMalformed`, `recoveryReplaced`,
    ///   `recoveryOtherAccount`.
    func removeDevice(_ device: DeviceID, words: String?) async throws(NodeError)
    /// Replaces the recovery words: devices that have learnt of it no longer accept the old ones for anything.
    /// - Parameter words: The present words.
    /// - Returns: The new words, which this device keeps.
    /// - Throws: `recoveryMalformed`, `recoveryReplaced`, `recoveryOtherAccount`.
    func replaceRecoveryWords(words: String) async throws(NodeError) -> [String]
    /// The 24 words that outrank every device.
    /// - Throws: `recoveryUnavailable` on a device that does not keep them.
    func recoveryPhrase() async throws(NodeError) -> [String]
    /// Joins the account of these recovery words with the help of any device of it; takes up to about a minute while it
    /// looks for one.
    /// - Parameters:
    ///   - words: 24 words in one text; case and the kind of white space do not matter.
    ///   - account: The account's id or its first 16 characters or more; devices of other accounts are passed over.
    /// - Returns: The device that added this one to the account.
    /// - Throws: `recoveryMalformed`, `recoveryNotFound`, `recoveryReplaced`, `recoveryNotNeeded`, `accountHasDevices`.
    func recoverAccount(words: String, account: String?) async throws(NodeError) -> PairingOutcome

    /// Makes a token that lets machines join this account without a person at them.
    /// - Parameters:
    ///   - uses: The number of machines, 1...256.
    ///   - lifetimeMilliseconds: The lifetime of the token, a minute to 30 days.
    ///   - role: The role of these machines.
    /// - Returns: The token; it is not shown again.
    /// - Throws: `forbidden` on a device that may not add others, `enrolmentTooMany`, `invalidArgument`.
    func makeEnrolmentToken(
        uses: Int,
        lifetimeMilliseconds: UInt64,
        role: DeviceRole
    ) async throws(NodeError) -> EnrolmentTokenStatus
    /// Ends all enrolment tokens that were made on this device.
    func withdrawEnrolmentTokens() async throws(NodeError)

    /// Starts to offer a place in this account; an earlier open offer ends.
    /// - Parameter role: The role of the device that takes the place.
    /// - Returns: The ticket.
    /// - Throws: `forbidden` on a device that may not add others.
    func offerPairing(role: DeviceRole) async throws(NodeError) -> PairingOfferStatus
    /// Waits for the offer's outcome.
    /// - Parameters:
    ///   - ticket: The offer's ticket text.
    ///   - waitMilliseconds: 0...60,000.
    /// - Returns: `nil` when nothing happened in time: ask again.
    /// - Throws: `ticketExpired`, `ticketAttempts`, `ticketNotFound` for an offer that does not exist.
    func awaitPairing(ticket: String, waitMilliseconds: Int) async throws(NodeError) -> PairingOutcome?
    /// Joins the account that offers this ticket; takes up to about a minute while it looks for it.
    /// - Throws: `ticketMalformed`, `ticketNotFound`, `ticketExpired`, `ticketUsed`, `accountHasDevices`,
    ///   `deviceHasZones`.
    func acceptPairing(ticket: String) async throws(NodeError) -> PairingOutcome

    /// All live zones, or those that one database shows.
    func zones(in database: ZoneDatabase?) async throws(NodeError) -> [ZoneStatus]
    /// Makes a zone of this account.
    /// - Throws: `zoneExists`, `invalidArgument`, `forbidden` for a container outside the scope.
    func createZone(name: String, container: String, history: ZoneHistory) async throws(NodeError) -> ZoneStatus
    /// One zone by id text or by unique name, with per-peer standing.
    /// - Throws: `zoneUnknown`, `zoneAmbiguous`, `zoneDeleted`.
    func zone(_ reference: String) async throws(NodeError) -> ZoneStatus

    /// Writes records.
    /// - Parameters:
    ///   - writes: At least one; at most 1,024 when atomic, 10,000 otherwise.
    ///   - zone: Id text or unique name.
    ///   - atomic: All or none; the first refusal is thrown. Otherwise each write has its own result.
    /// - Returns: One result a write, in order, durable.
    /// - Throws: `batchTooLarge`, `zoneUnknown`, `storageLimit` (then nothing is written, also when not atomic); for
    ///   an atomic batch the refusal of its first refused write.
    func write(
        _ writes: [RecordChange],
        zone: String,
        atomic: Bool
    ) async throws(NodeError) -> [Result<RecordView, NodeError>]
    /// One record.
    /// - Throws: `recordUnknown`, `recordDeleted`, `recordNotReadable`.
    func record(zone: String, name: String) async throws(NodeError) -> RecordView
    /// Several records of a zone.
    /// - Parameters:
    ///   - names: 1...1,000 names.
    ///   - zone: Id text or unique name.
    ///   - keys: The fields that are wanted; `nil` for all.
    /// - Returns: For each name, in order, the record or the reason for its absence: `recordUnknown`,
    ///   `recordDeleted`, `recordNotReadable`, `answerTooLarge`.
    /// - Throws: `zoneUnknown`, `invalidArgument`.
    func fetch(
        _ names: [String],
        zone: String,
        keys: DesiredKeys?
    ) async throws(NodeError) -> [Result<RecordView, NodeError>]
    /// Records by name.
    /// - Parameters:
    ///   - zone: Id text or unique name.
    ///   - name: Start behind this name; `nil` from the beginning.
    ///   - limit: 1...1,000.
    ///   - showsInternal: Whether records that daemons write by themselves are among them.
    /// - Returns: A page; its `next` is the name to continue from. Large records make it shorter than `limit`, and it
    ///   may have none where many are left out.
    /// - Throws: `zoneUnknown`, `invalidArgument`.
    func records(
        zone: String,
        after name: String?,
        limit: Int,
        showsInternal: Bool
    ) async throws(NodeError) -> RecordViewPage

    /// Records that match a query.
    /// - Parameters:
    ///   - zone: Id text or unique name.
    ///   - request: The query.
    /// - Returns: A page; its `cursor` is the place to continue from.
    /// - Throws: `zoneUnknown`, `invalidArgument`, `queryBadCursor`, `queryNotIndexed`.
    func query(zone: String, _ request: QueryRequest) async throws(NodeError) -> QueryView
    /// The indexes of a container, and whether each is ready.
    /// - Throws: `forbidden` for a container outside the scope.
    func fieldIndexes(container: String) async throws(NodeError) -> [FieldIndexStatus]
    /// Sets which indexes a container has on this device; new ones are built in the background.
    /// - Returns: The indexes as they are now.
    /// - Throws: `forbidden` for a container outside the scope, `invalidArgument` for too many.
    func setFieldIndexes(_ indexes: [FieldIndex], container: String) async throws(NodeError) -> [FieldIndexStatus]

    /// Returns changes after a token, each record once at its newest position, and the zones that came, went or
    /// changed.
    /// - Parameters:
    ///   - selection: The part of the feed; all zones if it names nothing.
    ///   - token: From an earlier answer for the same selection, or for a wider one; `nil` from the beginning.
    ///   - limit: 1...1,000.
    /// - Returns: A page with the token to continue from.
    /// - Throws: `tokenExpired`.
    func changes(_ selection: FeedSelection, since token: String?, limit: Int) async throws(NodeError) -> ChangePage

    /// Records whose concurrent writes disagree; all zones when `zone` is `nil`.
    func conflicts(zone: String?) async throws(NodeError) -> [ConflictView]
    /// Ends a conflict; with fields it also replaces the parts of a record that cannot be read here.
    /// - Throws: `conflictUnknown`, `recordUnknown`.
    func resolve(zone: String, name: String, with resolution: ConflictResolution) async throws(NodeError) -> RecordView

    /// Returns the writes that are ignored and wait for a decision, at most 1,000; all zones when `zone` is `nil`.
    func quarantine(zone: String?) async throws(NodeError) -> [QuarantineView]
    /// Repeats the content of a quarantined write as a write of this device.
    /// - Returns: False when this or another device had done so before.
    /// - Throws: `quarantineUnknown`, `quarantineNotNow`, `rightTooNarrow`, `recordTooLarge`, `storageLimit`.
    func adoptQuarantined(_ id: String, zone: String) async throws(NodeError) -> Bool
    /// Drops the content of a quarantined write, on this device.
    /// - Throws: `quarantineUnknown`, `quarantineNotNow`, `quarantineNeeded`.
    func purgeQuarantined(_ id: String, zone: String) async throws(NodeError)

    /// Explains why zones are not synchronised: operations that peers lack, that this device lacks, and that arrived
    /// and wait.
    /// - Parameter zone: Id text or unique name; `nil` for all zones.
    /// - Returns: The missing operations; none for a zone and a device that are synchronised.
    /// - Throws: `zoneUnknown`.
    func pending(zone: String?) async throws(NodeError) -> PendingReport

    /// A snapshot of the position, then consecutively numbered events.
    /// - Parameters:
    ///   - selection: The part of the feed; all zones if it names nothing.
    ///   - token: Resume behind this change token; `nil` from now.
    /// - Returns: The events; an `end` event with the reason comes last, unless the reader itself ends it.
    /// - Throws: `tokenExpired`.
    func events(_ selection: FeedSelection, since token: String?) async throws(NodeError) -> NodeEventStream
}

extension NodeAPI {
    /// Deletes a zone on all devices, without a reason.
    package func deleteZone(_ reference: String) async throws(NodeError) {
        try await deleteZone(reference, reason: "")
    }

    /// See ``records(zone:after:limit:showsInternal:)``: records of programs.
    package func records(
        zone: String,
        after name: String?,
        limit: Int
    ) async throws(NodeError) -> RecordViewPage {
        try await records(zone: zone, after: name, limit: limit, showsInternal: false)
    }

    /// All live zones.
    package func zones() async throws(NodeError) -> [ZoneStatus] { try await zones(in: nil) }

    /// Changes of one zone or all.
    package func changes(zone: String?, since token: String?, limit: Int) async throws(NodeError) -> ChangePage {
        try await changes(FeedSelection(zone: zone), since: token, limit: limit)
    }

    /// Events of one zone or all.
    package func events(zone: String?, since token: String?) async throws(NodeError) -> NodeEventStream {
        try await events(FeedSelection(zone: zone), since: token)
    }
}

extension NodeAPI {
    /// The other devices of the account, and any device that is connected.
    package func peers() async throws(NodeError) -> [PeerStatus] { try await peers(pinging: false) }
}

extension NodeAPI {
    /// Examines this machine, its network and its work, without a note of the progress.
    package func examine() async throws(NodeError) -> [CheckOutcome] { try await examine { _ in } }
}
