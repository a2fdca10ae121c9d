/// A mistake that the code makes on purpose, so that the simulator can show that it would find it.
///
/// A program contains these mistakes only if it was compiled with `-DKAIRAN_PLANTED_BUGS`, which the simulator's self-test and
/// continuous integration do and nothing else; without the flag every ``isActive`` is the constant `false`. One process makes at most one
/// of them, and none but the simulator can be asked to.
///
/// The type stands in the lowest layer because the places that ask are all over the core, one place a bug.
package enum PlantedBug: String, CaseIterable, Sendable {
    // MARK: Durability

    /// A commit is acknowledged before it is on disk.
    case skipFsync
    /// The sentinel is written before the commit that it speaks of.
    case sentinelBeforeCommit
    /// A run is acknowledged to its sender although the store refused it.
    case acknowledgeBeforeCommit
    /// Only the first half of an atomic request is written.
    case applyHalfABatch
    /// A failed transaction is not rolled back.
    case keepAFailedTransaction

    // MARK: Feeds

    /// The token of a page is that of the feed's end, though more follows.
    case tokenRunsAhead
    /// Tokens from before a rollback of the store are read as if they were current.
    case keepOldTokens
    /// Readers of a selection of records do not learn that a record has left it.
    case filteredReaderForgetsTheRest

    // MARK: Identity of a log

    /// A rolled-back store continues counting from where it is.
    case reuseCounters
    /// A peer's statement about this device's own log is ignored.
    case ignorePeersStatement
    /// A head that does not extend the log held here is accepted.
    case acceptAnyHead
    /// Two logs of one size are taken as equal, regardless of their roots.
    case compareSizesOnly

    // MARK: Causality

    /// Operations are applied in the order of arrival, before the operations that their author had seen are here.
    case trustArrivalOrder
    /// An operation's vector is believed beyond the head that its author signed.
    case trustInflatedVector
    /// The clock follows a peer's however far that is ahead.
    case followAnyClock

    // MARK: Merging

    /// Of concurrent versions the later clock wins and the others are forgotten.
    case dropASibling
    /// The version that arrived last wins ties.
    case lastArrivalWins
    /// A delete wins over an edit that it has not seen.
    case deleteBeatsEdit
    /// A write forgets the fields that it does not set.
    case forgetUnsetFields
    /// An author's addition to a counter replaces its earlier ones.
    case countIncrementOnce
    /// Of one author's totals of a counter, the largest is effective instead of the newest.
    case mergeCountersByMax
    /// A deletion supersedes only the write that created the record, and the writes of its own device.
    case deletionStaysHome

    // MARK: Forgetting

    /// A tombstone is dropped under the first checkpoint that covers it.
    case collectTombstonesEarly
    /// A tombstone is dropped although the writes that it deleted are not covered.
    case collectTombstonesOfUncovered
    /// A checkpoint does not wait for the acknowledgements of all members.
    case checkpointTooEarly
    /// A superseded operation is dropped before any checkpoint covers it.
    case dropSupersededEarly
    /// A gap is accepted under any checkpoint, or none.
    case takeAnyGap
    /// A peer's empty log is taken to mean that its operations were deleted.
    case believeEmptyPeer
    /// A device that was away never asks for the live set.
    case neverAskWhatLives
    /// A live set is accepted regardless of the checkpoint's statement.
    case believeAnyLiveSet
    /// A zone that becomes complete goes on showing records whose last operations were pruned.
    case neverWithdraw
    /// A device lapses 90 days after it was first met, however often it is met later.
    case lapseByFirstMeeting

    // MARK: Membership and sessions

    /// Operations of a removed device above its cut are effective.
    case ignoreCuts
    /// A second session of a pair of devices is kept beside the first.
    case keepBothSessions
    /// An acknowledgement is recorded for operations that it did not include.
    case overstateAcknowledgement

    // MARK: Rights

    /// One operation above the cut of a log is effective.
    case acceptOneBeyondCut
    /// A cut reaches below the size that a checkpoint has made final.
    case cutBelowCheckpoint
    /// A log that a checkpoint covers in part is not cut at all.
    case voidCutsByCheckpoint
    /// Positions of control logs are believed regardless of the operations that their author had seen.
    case believeAnyPosition
    /// A checkpoint raises cuts although its author was removed, or has transferred the zone.
    case believeTheRemovedAuthorsCheckpoint
    /// The cuts stated in a leave, a transfer or an admin's revocation are effective regardless of the owner.
    case believeWhoLeaves
    /// A removed device's statements about removed devices stay effective beside those of the remaining devices.
    case believeTheRemovedRemover
    /// A log that a statement about its device does not list is not cut.
    case leaveUnlistedLogs
    /// A transfer makes an account the owner without its consent.
    case ownWithoutConsent
    /// Operations outside of their author's right are effective and supersede others.
    case countTheVoid
    /// Operations of a removed device are effective as long as its account has the right.
    case checkTheAccountAlone
    /// A revoked capability is restored if its audience has continued to write under it.
    case readdThroughGossip
    /// Former participants are still served the records.
    case serveFormerParticipants
    /// Rights never expire.
    case serveBeyondExpiry
    /// A zone's control logs are served to any peer.
    case tellStrangers
    /// A zone that was public once is served to everyone.
    case serveWhatWasPublic
    /// Runs are accepted from every sender.
    case takeFromAnybody
    /// A session goes on with an account that shares nothing.
    case keepTalking
    /// No timer is set for the expiry of a right.
    case sleepThroughExpiry
    /// An invitation admits more accounts than it has uses.
    case grantBeyondUses
    /// A deposit of a revoked member is answered and dropped.
    case forgetDeposits
    /// The deposits of all removed devices of one account share one room.
    case shareDepositRoom

    // MARK: Schemas

    /// Operations that break the schema are effective.
    case ignoreTheSchema
    /// The schema in force is the last one promoted, not the combination of all promotions.
    case lastPromotionWins

    // MARK: Zones of two

    /// Of two accounts that own a zone together, one may delete it for both.
    case takeThePairZone
    /// An account that has left a zone of two never comes back.
    case forgetReturns

    // MARK: Keys of zones

    /// A revoked member or removed device can still open new writes.
    case keepTheKeyOfTheRemoved
    /// The keys of a zone that everyone may read are not disclosed.
    case leaveKeysUndisclosed
    /// A device that received other bytes in place of a key does not request the key again.
    case neverAskForKeys
    /// A device that asks for a key is given none, by no device that has it.
    case ignoreKeyRequests
    /// A new reader is given no key.
    case forgetNewcomers
    /// Without a key to write under, none is made, and records are written in clear.
    case writeInClear
    /// Every nonce is zero.
    case reuseNonces
    /// Records that could not be opened stay locked when their key arrives.
    case leaveLocked
    /// A key that was given in a log which is now cut below it is not given again.
    case leaveKeysAboveACut
    /// A message that the application has finished is delivered to it again when the feed is read again.
    case deliverTwice
    /// A message is deleted by its sender before it is confirmed.
    case deleteBeforeReceipt
    /// A message is sealed to the key of a device's certificate, though the device has stated a prekey.
    case forgetPrekeys
    /// A message that a device could not open is never sealed to it again.
    case sealOnce
    /// A message is delivered before its payload is here.
    case handOutUnfetched
    /// A peer that once lacked a part of a payload is never asked for it again.
    case askOnce
    /// A sealed body is opened with any key, whichever key its author has committed to.
    case skipCommitment
    /// A relay promises to keep a payload before it has it.
    case promiseUnfetched
    /// The sender of a payload deletes it as soon as a relay has promised to keep it.
    case dropWhenRelayed
    /// A message that a relay keeps is shown as delivered.
    case relayedIsDelivered
    /// The contents of a parcel that a relay promises to keep are recorded as acknowledged by the recipient device.
    case believeThePromise
    /// A parcel that a relay has lost is not posted again.
    case leaveOnce
    /// A device is sent the terms of a zone once, whether they have arrived or not.
    case tellTermsOnce
    /// No parcels are posted for devices of other accounts.
    case leaveToOwnAlone
    /// A parcel for another account's device is made of every zone held here.
    case leaveAllZones
    /// An invitation whose uses a relay counts is granted without asking the relay.
    case grantUnclaimed
    /// An item is dropped, and deleted for everyone, as soon as this machine's clock says that its time is over.
    case expireByOwnClock
    /// This device's newest clock reading is carried on however far ahead of the wall clock it is.
    case carryAnyReading
    /// Relays are notified that a payload need not be kept as soon as any recipient has answered its message.
    case settleEarly
    /// The put key of a mailbox is the recipient's identifier.
    case putUnderTheDeviceID
    /// A ticket that has admitted a device admits others until it expires.
    case useATicketTwice
    /// The lifetime of an offer begins again with each device that asks.
    case prolongTheOffer
    /// A machine that shows its enrolment token again consumes another use of it.
    case countKnownMachines
    /// Recovery words that have been replaced admit devices as well.
    case recoverByReplacedWords
    /// Of two devices that remove each other, only the one whose removal comes later in the log is removed.
    case earlierRemovalWins
    /// Of several names given to an account or a device, the one that arrived last holds.
    case lastNameToComeHolds
    /// The account's devices use the key that came with the account, regardless of its log.
    case goByTheFirstFleetKey
    /// A key of the account's devices is not answered any more as soon as another has replaced it.
    case forgetRetiredFleetKeys
    /// Removals share the room of an account log with entries of all other kinds.
    case removalsShareTheRoom
    /// A full control log accepts nothing more of its author, not even operations that take rights away.
    case boundRemovals
    /// A control log is effective at any length.
    case takeFullControlLogs
    /// A moment has passed as soon as this machine's clock or those of most others say so.
    case eitherClockSettles
    /// In a full room the connection that came last gives its place to the next one.
    case yieldTheNewest
    /// One address may have as many connections in a room as there are places.
    case ignoreTheAddress

    /// Whether this process makes this mistake.
    @inlinable package var isActive: Bool {
        #if KAIRAN_PLANTED_BUGS
        unsafe Self.active == self
        #else
        false
        #endif
    }

    #if KAIRAN_PLANTED_BUGS
    /// The mistake that this process makes.
    // SAFETY: set once, before the first simulation of a process begins; simulations run in one thread.
    nonisolated(unsafe) package static var active: PlantedBug?
    #endif
}
