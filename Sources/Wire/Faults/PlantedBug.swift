/// A mistake that the code makes on purpose, so that the simulator can show that it would find it.
///
/// A program contains these mistakes only if it was compiled with `-DKAIRAN_PLANTED_BUGS`, which the simulator's self-test and
/// continuous integration do and nothing else; without the flag every ``isActive`` is the constant `false`. One process makes at most one
/// of them, and none but the simulator can be asked to.
///
/// The type stands in the lowest layer because the places that ask are all over the core, one place a bug.
package enum PlantedBug: String, CaseIterable, Sendable {
    // MARK: Durability

    /// A commit is acknowledged before the disk has it.
    case skipFsync
    /// The sentinel is written before the commit that it speaks of.
    case sentinelBeforeCommit
    /// A run is acknowledged to its sender although the store refused it.
    case acknowledgeBeforeCommit
    /// Of an atomic request only the first half is written.
    case applyHalfABatch
    /// A failed transaction is not rolled back.
    case keepAFailedTransaction

    // MARK: Feeds

    /// The token of a page is that of the feed's end, though more follows.
    case tokenRunsAhead
    /// Tokens of before a store was set back are read as if they were of now.
    case keepOldTokens
    /// Readers of some records are not told of one that it is not among them any more.
    case filteredReaderForgetsTheRest

    // MARK: Identity of a log

    /// A store that was set back goes on counting where it is.
    case reuseCounters
    /// What a peer says of our own log is not listened to.
    case ignorePeersStatement
    /// A head that does not extend the log held here is taken all the same.
    case acceptAnyHead
    /// Two logs of one size count as equal, whatever their roots.
    case compareSizesOnly

    // MARK: Causality

    /// Operations are applied in the order in which they arrive, before what their author had seen is here.
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
    /// Of one author's totals of a counter the largest counts, not the newest.
    case mergeCountersByMax
    /// A deletion supersedes only the write that created the record, and what its own device wrote.
    case deletionStaysHome

    // MARK: Forgetting

    /// A tombstone is dropped under the first checkpoint that covers it.
    case collectTombstonesEarly
    /// A tombstone is dropped although what it deleted is not covered.
    case collectTombstonesOfUncovered
    /// A checkpoint does not wait for the acknowledgements of all members.
    case checkpointTooEarly
    /// A superseded operation is dropped before any checkpoint covers it.
    case dropSupersededEarly
    /// A gap is taken whatever checkpoint covers it, or none.
    case takeAnyGap
    /// A peer's empty log is taken to mean that its operations were deleted.
    case believeEmptyPeer
    /// A device that was away never asks what lives.
    case neverAskWhatLives
    /// A list of what lives is believed whatever the checkpoint says of it.
    case believeAnyLiveSet
    /// A device lapses 90 days after it was first met, however often it is met later.
    case lapseByFirstMeeting

    // MARK: Membership and sessions

    /// What a removed device wrote above its cut counts.
    case ignoreCuts
    /// A second session of a pair of devices is kept beside the first.
    case keepBothSessions
    /// An acknowledgement is remembered for operations that were not in it.
    case overstateAcknowledgement

    // MARK: Rights

    /// Of a log that was cut one operation more counts.
    case acceptOneBeyondCut
    /// A cut reaches below what a checkpoint has made final.
    case cutBelowCheckpoint
    /// A log of which a checkpoint covers something is not cut at all.
    case voidCutsByCheckpoint
    /// Positions of control logs are believed whatever their author had seen.
    case believeAnyPosition
    /// A checkpoint raises cuts although its author was removed, or handed the zone over.
    case believeTheRemovedAuthorsCheckpoint
    /// What a leave, a transfer or an admin's revocation states counts whatever the owner says.
    case believeWhoLeaves
    /// What a device said about removed devices goes on holding beside what others say, after its own removal.
    case believeTheRemovedRemover
    /// A log that a statement about its device does not list is not cut.
    case leaveUnlistedLogs
    /// A transfer makes an account the owner that was not asked.
    case ownWithoutConsent
    /// What lies outside of its author's right counts and supersedes.
    case countTheVoid
    /// What a removed device wrote counts as long as its account has the right.
    case checkTheAccountAlone
    /// Who was put out and went on talking counts as let in again.
    case readdThroughGossip
    /// Who took part once is told the records as before.
    case serveFormerParticipants
    /// Rights have no end in time.
    case serveBeyondExpiry
    /// A zone is told to whoever comes.
    case tellStrangers
    /// A zone that was public once is told to everybody.
    case serveWhatWasPublic
    /// Runs are taken from whoever sends them.
    case takeFromAnybody
    /// A session goes on with an account that shares nothing.
    case keepTalking
    /// Nobody is woken for the end of a right in time.
    case sleepThroughExpiry
    /// An invitation lets in more than it is for.
    case grantBeyondUses
    /// What is handed over by one who was put out is answered for and dropped.
    case forgetDeposits
    /// What removed devices of one account hand over shares one room.
    case shareDepositRoom
    /// Not knowing the checkpoint before a run's is held against the sender.
    case blameForUnknownPrevious

    // MARK: Schemas

    /// What breaks the schema counts.
    case ignoreTheSchema
    /// The schema in force is what was promoted last, not what all promotions say together.
    case lastPromotionWins

    // MARK: Zones of two

    /// Of two accounts that own a zone together one may delete it for both.
    case takeThePairZone
    /// Whoever has left a zone of two never comes back.
    case forgetReturns

    // MARK: Keys of zones

    /// Whoever is put out may go on opening what is written.
    case keepTheKeyOfTheRemoved
    /// Discloses no key of a zone that everybody may read.
    case leaveKeysUndisclosed
    /// A device that was given something else in place of a key does not say so.
    case neverAskForKeys
    /// Who comes later is given no key.
    case forgetNewcomers
    /// Where there is no key to write under, none is made, and records are written in clear.
    case writeInClear
    /// The nonce hangs on nothing.
    case reuseNonces
    /// What could not be read stays so when its key comes.
    case leaveLocked
    /// A key that was given in a log which ends below it now is not given again.
    case leaveKeysAboveACut
    /// What an application has finished is handed to it again when the feed is read again.
    case deliverTwice
    /// A message is deleted by its sender before it is confirmed.
    case deleteBeforeReceipt
    /// A message is sealed to the key of a device's certificate, though the device has stated a prekey.
    case forgetPrekeys
    /// What a device could not open is never sealed to it again.
    case sealOnce
    /// A message is handed out before its payload is here.
    case handOutUnfetched
    /// Who had no part of a payload once is never asked for it again.
    case askOnce
    /// What is sealed opens whatever key its author has committed to.
    case skipCommitment
    /// A relay promises to keep a payload before it has it.
    case promiseUnfetched
    /// Who sent a payload lets go of it as soon as a relay has promised it.
    case dropWhenRelayed
    /// What a relay has is shown as delivered.
    case relayedIsDelivered
    /// What a relay promises to keep counts as what the device has that it is for.
    case believeThePromise
    /// What a relay has lost is not left again.
    case leaveOnce
    /// A device is told of a zone once, whether it has heard it or not.
    case tellTermsOnce
    /// Nothing is left for devices of other accounts.
    case leaveToOwnAlone
    /// Another account's device is left whatever is here.
    case leaveAllZones
    /// What a relay counts is granted without having asked it.
    case grantUnclaimed
    /// What ends by time is dropped, and deleted for everybody, as soon as this machine's clock says so.
    case expireByOwnClock
    /// The own newest reading is carried on however far ahead of the wall it is.
    case carryAnyReading
    /// Relays are told that a payload need not be kept as soon as anybody has said something of its message.
    case settleEarly
    /// The key that lets put into a mailbox is the recipient's identifier.
    case putUnderTheDeviceID
    /// A ticket that has let a device in lets in others until its time is over.
    case useATicketTwice
    /// The time of an offer begins anew with each device that asks.
    case prolongTheOffer
    /// A machine that shows its enrolment token again takes another use of it.
    case countKnownMachines
    /// Recovery words that others took the place of let devices in as well.
    case recoverByReplacedWords
    /// Of two devices that remove each other only the one is out whose removal comes later in the log.
    case earlierRemovalWins
    /// Of the names that were given to an account or a device the one holds that came last.
    case lastNameToComeHolds
    /// The account's devices go by the key that came with the account, whatever its log says.
    case goByTheFirstFleetKey
    /// A key of the account's devices is not answered any more as soon as another has taken its place.
    case forgetRetiredFleetKeys
    /// Removals share the room of an account log with entries of all other kinds.
    case removalsShareTheRoom
    /// A full control log takes nothing more of its author, whatever rights it would take away.
    case boundRemovals
    /// A control log counts however long it is.
    case takeFullControlLogs
    /// A moment has passed as soon as this machine's clock or those of most others say so.
    case eitherClockSettles
    /// Where a room is full, the connection that came last gives its place to the next one.
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
