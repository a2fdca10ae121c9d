/// A mistake that the code makes on purpose, so that the simulator can show that it would find it.
///
/// The patch of each bug's name says in its first line what the mistake does, and adds the places that ask whether it is active. One
/// process makes at most one of these mistakes.
///
/// The type stands in the lowest layer because the places that ask are all over the core.
package enum PlantedBug: String, CaseIterable, Sendable {
    // MARK: Durability

    case skipFsync
    case sentinelBeforeCommit
    case acknowledgeBeforeCommit
    case applyHalfABatch
    case keepAFailedTransaction

    // MARK: Feeds

    case tokenRunsAhead
    case keepOldTokens
    case filteredReaderForgetsTheRest

    // MARK: Identity of a log

    case reuseCounters
    case ignoreReturnedHeads
    case believeAnyReturnedHead
    case acceptAnyHead
    case compareSizesOnly

    // MARK: Causality

    case trustArrivalOrder
    case trustInflatedVector
    case followAnyClock

    // MARK: Merging

    case dropASibling
    case lastArrivalWins
    case deleteBeatsEdit
    case forgetUnsetFields
    case countIncrementOnce
    case mergeCountersByMax
    case deletionStaysHome

    // MARK: Forgetting

    case collectTombstonesEarly
    case collectTombstonesOfUncovered
    case checkpointTooEarly
    case dropSupersededEarly
    case takeAnyGap
    case believeEmptyPeer
    case neverAskWhatLives
    case believeAnyLiveSet
    case neverWithdraw
    case lapseByFirstMeeting

    // MARK: Membership and sessions

    case ignoreCuts
    case keepBothSessions
    case overstateAcknowledgement

    // MARK: Rights

    case acceptOneBeyondCut
    case cutBelowCheckpoint
    case voidCutsByCheckpoint
    case believeAnyPosition
    case believeTheRemovedAuthorsCheckpoint
    case believeWhoLeaves
    case believeTheRemovedRemover
    case leaveUnlistedLogs
    case ownWithoutConsent
    case countTheVoid
    case checkTheAccountAlone
    case readdThroughGossip
    case serveFormerParticipants
    case serveBeyondExpiry
    case tellStrangers
    case serveWhatWasPublic
    case takeFromAnybody
    case keepTalking
    case keepVoidMembers
    case sleepThroughExpiry
    case grantBeyondUses
    case forgetDeposits
    case shareDepositRoom

    // MARK: Schemas

    case ignoreTheSchema
    case lastPromotionWins

    // MARK: Zones of two

    case takeThePairZone
    case forgetReturns

    // MARK: Keys of zones

    case keepTheKeyOfTheRemoved
    case leaveKeysUndisclosed
    case neverAskForKeys
    case ignoreKeyRequests
    case forgetNewcomers
    case writeInClear
    case reuseNonces
    case leaveLocked
    case leaveKeysAboveACut
    case deliverTwice
    case deleteBeforeReceipt
    case forgetPrekeys
    case sealOnce
    case handOutUnfetched
    case askOnce
    case skipCommitment
    case promiseUnfetched
    case dropWhenRelayed
    case relayedIsDelivered
    case believeThePromise
    case leaveOnce
    case tellTermsOnce
    case leaveToOwnAlone
    case leaveAllZones
    case grantUnclaimed
    case expireByOwnClock
    case carryAnyReading
    case settleEarly
    case putUnderTheDeviceID
    case useATicketTwice
    case prolongTheOffer
    case countKnownMachines
    case recoverByReplacedWords
    case earlierRemovalWins
    case lastNameToComeHolds
    case goByTheFirstFleetKey
    case forgetRetiredFleetKeys
    case removalsShareTheRoom
    case boundRemovals
    case takeFullControlLogs
    case eitherClockSettles
    case yieldTheNewest
    case ignoreTheAddress

    // MARK: Statements of devices

    case takeMessagesByTheirDots
    case takeReceiptsByTheirDots
    case takePrekeysByTheirDots
    case takeRelaysByTheirDots
    case signForAnyRecord

    // MARK: Assets

    case collectNamedContents
    case forgetLaterNames
    case fetchAgainstPolicy
    case trustTheOutline
    case askUnderTheFirstZoneAlone

    // MARK: Evictions

    case evictWithoutPromise
    case promiseWhileEvicting
    case promiseWithoutHolding
    case evictDespitePromise
    case useOldPromises
    case keepPromisesOverRestarts
    case evictingReleases
    case serveUncheckedFiles
    case promiseLinkedFiles

    /// Whether this process makes this mistake.
    @inlinable package var isActive: Bool { unsafe Self.active == self }

    /// The mistake that this process makes.
    // SAFETY: set once, before the first simulation of a process begins; simulations run in one thread.
    nonisolated(unsafe) package static var active: PlantedBug?
}
