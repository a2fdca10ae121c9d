package import Records
package import Wire

/// Names a session: the transport's connection number.
package typealias SessionID = UInt64

/// The standing of an authenticated device in its account.
package enum Standing: Sendable, Equatable {
    /// An active device of the account.
    case active
    /// Not in the account log we hold; it may be newer than our copy.
    case unknown
    /// Removed from the account.
    case removed
}

/// A session that begins.
package struct SessionOpening: Sendable {
    /// Its number.
    package var session: SessionID
    /// The authenticated device.
    package var device: DeviceID
    /// The account it belongs to.
    package var account: AccountID
    /// The standing of the device in that account, as far as its log is known here.
    package var standing: Standing
    /// The heads of its account's log, as the device holds it.
    package var accountHeads: [Hash]
    /// The handshake hash, which blinds zone ids.
    package var binding: [UInt8]
    /// Whether this side dialled.
    package var isInitiator: Bool
    /// Whether the channel was made under an earlier key of the account's devices, which another one replaced.
    package var isByEarlierKey: Bool
    /// The revision of the messages that the other side, which dialled, states; 0 where it states none.
    package var remoteRevision: UInt8

    /// Describes a session.
    package init(
        session: SessionID,
        device: DeviceID,
        account: AccountID,
        standing: Standing,
        accountHeads: [Hash],
        binding: [UInt8],
        isInitiator: Bool,
        isByEarlierKey: Bool = false,
        remoteRevision: UInt8 = 0
    ) {
        self.session = session
        self.device = device
        self.account = account
        self.standing = standing
        self.accountHeads = accountHeads
        self.binding = binding
        self.isInitiator = isInitiator
        self.isByEarlierKey = isByEarlierKey
        self.remoteRevision = remoteRevision
    }
}

/// The purpose for which a run is taken in.
package enum RunPurpose: Sendable, Equatable {
    /// Replication, with a peer's live set for a run that could not be taken without it.
    case replication(liveSet: LiveSetComparison?)
    /// A deposit of operations that the author wrote after it had lost the right to, kept for a person to decide
    /// about.
    case deposit

    /// The known live set; nil for none.
    var liveSet: LiveSetComparison? {
        if case .replication(let liveSet) = self { liveSet } else { nil }
    }
}

/// The store's answer to a run that was to be applied.
package enum RunOutcome: Sendable, Equatable {
    /// It is durable; with `operations` 0 nothing was stored: it was held already, or all of it lies above the log's cut
    /// and is not kept.
    ///
    /// `size` is that of the log, or of the run where the log does not reach it, so that its sender does not send it
    /// again.
    case durable(size: UInt64, operations: UInt64)
    /// It cannot be taken in the present state of this store: it begins behind our log, its zone, account or
    /// checkpoint is not known, or there is no room. Our state is sent to the peer.
    case misplaced
    /// It would replace operations that nothing here shows to be pruned: the live set under the peer's checkpoint has
    /// to be known first.
    case unexplained
    /// There is no room for its log, or its zone is closed: not wanted, and not sent again.
    case unwanted(size: UInt64)
    /// It makes a control log longer than its author's right allows: not wanted, and not sent again.
    case controlLogFull(size: UInt64)
    /// It breaks the protocol.
    case violation(String)
    /// The log's author broke a rule in signed content, so the sender may be honest; it is not taken.
    case brokenLog(by: DeviceID, String)
    /// It continues another history of the log than the one we hold, under a valid signature, but proves nothing yet:
    /// the peer is shown the hashes of our log, so that it can.
    case contradiction
    /// It proves that a log was forked.
    case fork(ForkProof)
    /// It lies behind the place where the log's histories part: not wanted, and the sender seems to lack the proof.
    case forkKnown(ForkProof, size: UInt64)
    /// There is no room: pause the peer.
    case storageFull
    /// Our storage failed otherwise: try again later.
    case storageFailed
}

/// An event for the synchronisation core.
package enum SyncInput: Sendable {
    /// The account log changed, or is reported for the first time.
    case accountChanged(heads: [Hash], standings: [DeviceID: Standing])
    /// This device's part of the account's present recovery words changed, or is reported for the first time.
    case recoverySecretChanged(RecoverySecret?)
    /// The present key of the account's devices changed, or is reported for the first time, or this device has got
    /// further ones: `nil` while the present one is that which came with the account; `held` names the entries that
    /// made the keys that it has.
    case fleetKeysChanged(FleetSecret?, held: Set<Hash>)
    /// The log of another account changed, or is reported for the first time.
    case contactChanged(AccountID, heads: [Hash], standings: [DeviceID: Standing])
    /// The rights of several accounts in a zone changed, or are reported for the first time; comes before the zone
    /// itself.
    case rightsChanged(ZoneAuthority)
    /// A zone is known, or its logs have grown; `before` holds the earlier sizes of the logs that grew, and `tails` the ends by which they did,
    /// as far as the commit has them in its memory.
    case zoneChanged(ZoneSnapshot, before: [LogKey: UInt64], tails: [LogKey: LogTail] = [:])
    /// A zone is no longer synchronised.
    case zoneForgotten(ZoneID)
    /// A session is established.
    case opened(SessionOpening)
    /// A session ended.
    case closed(SessionID)
    /// A message arrived;
    /// `byteCount` is the size of its encoding.
    case received(SessionID, PeerMessage, byteCount: Int)
    /// The answer to the reading of a run or a skeleton: `nil` when there is nothing (any more).
    case runRead(SessionID, LogKey, Run?, byteCount: Int)
    /// The answer to a run that was to be applied.
    case runApplied(SessionID, LogKey, RunOutcome)
    /// Something that no honest program sends came, in a session if it is known in which one; it ends no session.
    case anomaliesFound(SessionID?, [Anomaly])
    /// The answer to the reading of deposits.
    case depositsRead(SessionID, ZoneID, [Run])
    /// The answer to the reading of a page of the live set.
    case liveSetRead(SessionID, LiveSetPage)
    /// The answer to the comparison of a page of the live set.
    case liveSetTaken(SessionID, ZoneID, LiveSetOutcome)
    /// The answer about a zone that was to be learned or joined, when it was not made.
    case zoneRefused(SessionID, ZoneID)
    /// The answer to `readAccountEntries`.
    case accountEntriesRead(SessionID, AccountID, [[UInt8]])
    /// Something is to be written in a public zone in which this account holds no right; answered by `guestWriteSettled`.
    case requestWrite(GuestOrder)
    /// The answer to `serveGuestWrite`: the outcome of the request with this number in this zone.
    case guestWriteServed(SessionID, ZoneID, number: UInt64, GuestAnswer.Outcome)
    /// A payload is wanted; one that was wanted before changes nothing.
    case payloadWanted(PayloadWant)
    /// The answer to the search for wanted payloads, behind a `payloadWanted` for each: the number of the last one that was examined, and
    /// whether there are no others behind it.
    case payloadsSearched(through: UInt64, isAtEnd: Bool)
    /// A payload is not wanted any more.
    case payloadForgotten(PayloadID)
    /// A reader waits for the bytes of a payload from a place on: their chunks are requested before all others. The place is in bytes, since
    /// the outline alone says how large the chunks are.
    case payloadUrged(PayloadID, from: UInt64)
    /// The file system has no room for payloads that only a policy fetches, or has room again.
    case payloadRoom(isShort: Bool)
    /// The answer to a part of a payload that was to be kept: the outline (without a position) or a chunk.
    case payloadKept(SessionID, PayloadID, position: UInt64?, PayloadOutcome)
    /// The answer to the reading of a payload.
    case payloadRead(SessionID, PayloadRequest, PayloadAnswer)
    /// All messages that are due to relays about payloads of messages, in the order in which they came to be due.
    case custodyDue([CustodyJob])
    /// The relays of this account by its log.
    case relaysChanged(Set<DeviceID>)
    /// Relays may have other contents of records to keep.
    case custodyNews(CustodyNews)
    /// The answer to the search for contents of records that relays are to keep; `nil` where the store could not be read.
    case custodySearched(CustodySearch.Found?)
    /// The answer to a request to keep a payload, or to keep it no longer; without an outcome the payload is being fetched.
    case custodyDecided(SessionID, CustodyRequest, CustodyAnswer.Outcome?)
    /// Attempts to evict contents that an earlier process has left behind: their rows are removed.
    case evictionsFound([EvictionRow])
    /// A content is to be evicted; answered by `evictionSettled`.
    case evictionAsked(EvictionOrder)
    /// A caller wants to know which connected devices hold a content; answered by `holdersFound`.
    case holdersAsked(HolderQuestion)
    /// The contents about which the device of a session is to be asked.
    case holdersSearched(SessionID, HolderFinding)
    /// The caller of an eviction, or of a question about holders, does not wait any more, by the name of its order.
    case evictionWithdrawn(UInt64)
    /// The answer to the beginning of an attempt to evict.
    case evictionBegun(EvictionStart, attempt: UInt64)
    /// The answer to the drop of a content.
    case evictionDone(EvictionEnd, attempt: UInt64)
    /// The row of an attempt that is over could not be removed.
    case evictionUnended(EvictionRow)
    /// The answer to a peer's request for promises, or its question about contents.
    case retentionDecided(SessionID, RetentionRequest, RetentionAnswer)
    /// Something came by a mailbox; answered by `mailSettled`.
    case mailed(MailDelivery)
    /// A caller wants to know which peers are there now: each peer that was silent for so long, in milliseconds, is
    /// pinged.
    case presenceAsked(silence: UInt64)
    /// A caller wants to know which peers can connect to this device.
    case reachAsked
    /// The answer to `probe`.
    case reachProbed(SessionID, number: UInt64, ReachOutcome)
    /// Time passed; asked for by `nextDeadline`.
    case tick
}

/// An instruction to the driver; instructions are performed in order.
package enum SyncEffect: Sendable {
    /// Send a message.
    case send(SessionID, PeerMessage)
    /// Ask the store; its answer comes as the inputs that the question names.
    case read(StoreRead)
    /// Change the store; changes are made in the order of these effects.
    case write(StoreWrite)
    /// Insert entries of an account's log and answer `accountChanged` or `contactChanged` if any was new; a bad entry ends the
    /// session.
    case insertAccountEntries(SessionID, AccountID, [[UInt8]])
    /// Keep the part of the recovery words from a device of this account, if they are the present ones; answer
    /// `recoverySecretChanged` if it was kept.
    case takeRecoverySecret(RecoverySecret)
    /// Keep a key of the account's devices, if it is that of an entry of the account log; answer `fleetKeysChanged` if it was kept.
    case takeFleetSecret(FleetSecret)
    /// Read the entries of an account's log that these heads do not cover and answer `accountEntriesRead`.
    case readAccountEntries(SessionID, AccountID, notIn: [Hash])
    /// Offer a zone of another account that is not known here; people decide whether to take part.
    case offerZone(AccountID, ZoneTerms)
    /// Read the account of a session's device that asks for writes in a public zone, and have the store decide (`serve`); answer
    /// `guestWriteServed` once they are durable.
    case serveGuestWrite(SessionID, GuestWrite)
    /// The answer to `requestWrite`, by the order's id.
    case guestWriteSettled(UInt64, GuestSettlement)
    /// The answer to `evictionAsked`, by the order's name.
    case evictionSettled(UInt64, EvictionOutcome)
    /// The answer to `holdersAsked`, by the question's name.
    case holdersFound(UInt64, [HolderAnswer])
    /// The answer to `mailed`: whether the store has all of it that is wanted, and what it lacks.
    case mailSettled(SessionID, MailOutcome)
    /// Try to connect to the device of a session, at the address at which it is known, close the connection at once, and answer
    /// `reachProbed` within a few seconds.
    case probe(SessionID, number: UInt64)
    /// The place of a session's device is decided: the connection has other limits from now on.
    case setPlace(SessionID, SessionPlace)
    /// End a session with a coarse code; the reason is for our log.
    case close(SessionID, SyncCloseCode, reason: String)
    /// Report to people and programs.
    case report(SyncReport)
    /// Report a step in the exchange of a zone; ``SyncActivities`` makes activities of the steps that have a
    /// beginning and an end.
    case transfer(Transfer)
}

/// The relation of a session's device to this one, for the limits of its connection.
package enum SessionPlace: Sendable, Hashable {
    /// Its account is known, and it is in the account's log.
    case member
    /// Its account is known, and its log does not have the device as it is held here, or has it as removed.
    case confirming
    /// It was removed from this account, and delivers its late writes.
    case removed
    /// Nothing is known of its account; it is served public zones.
    case guest
}

/// The coarse codes that a peer sees in the close frame; part of the protocol, see `docs/protocol/channel.md`.
package enum SyncCloseCode: UInt8, Sendable {
    /// No fault: this node stops.
    case goodbye = 1
    /// There is another session with the same device.
    case duplicate = 2
    /// The other side broke the protocol.
    case violation = 3
    /// The device is not, or no longer, a member.
    case refused = 4
    /// Too many sessions, or this node cannot serve just now.
    case busy = 5
    /// Nothing was received for too long.
    case silent = 6
}

/// A report to the driver.
package enum SyncReport: Sendable, Equatable {
    /// Operations of a zone came in and are durable.
    case imported(zone: ZoneID, peer: DeviceID, count: UInt64)
    /// Operations of a zone are durable at a peer.
    case exported(zone: ZoneID, peer: DeviceID, count: UInt64)
    /// A run or another input could not be taken in.
    case importFailed(zone: ZoneID, peer: DeviceID, code: String)
    /// The round trip and the other clock minus ours, in milliseconds.
    case measured(peer: DeviceID, roundTripMilliseconds: Double, skewMilliseconds: Int64)
    /// A first comparison with this peer is complete, and all it had to give has been applied.
    case inSync(peer: DeviceID)
    /// Something came that no honest program sends.
    case anomaly(Anomaly)
}
