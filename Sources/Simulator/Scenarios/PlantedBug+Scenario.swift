package import Wire

extension PlantedBug {
    /// The scenario in which the simulator's self-test looks for the mistake: one that finds it soon.
    package var scenario: Scenario {
        switch self {
        case .skipFsync, .sentinelBeforeCommit, .acknowledgeBeforeCommit, .overstateAcknowledgement: .diskTrouble
        case .keepAFailedTransaction: .diskTrouble
        case .applyHalfABatch, .forgetUnsetFields, .trustArrivalOrder: .flapping
        case .keepBothSessions: .flapping
        case .tokenRunsAhead, .filteredReaderForgetsTheRest: .flapping
        case .keepOldTokens: .everything
        case .reuseCounters: .restoredBackup
        case .ignorePeersStatement: .quietRollback
        case .compareSizesOnly: .evenRollback
        case .acceptAnyHead, .trustInflatedVector, .takeAnyGap: .byzantine
        case .followAnyClock: .futureStamp
        case .carryAnyReading: .clockOff
        case .expireByOwnClock: .clockAhead
        case .dropASibling, .lastArrivalWins: .conflictStorm
        case .countIncrementOnce, .mergeCountersByMax: .flapping
        case .deletionStaysHome: .deleteAndCreate
        case .deleteBeatsEdit: .deleteAndCreate
        case .collectTombstonesOfUncovered: .byzantine
        case .collectTombstonesEarly, .checkpointTooEarly, .dropSupersededEarly: .yearAway
        case .lapseByFirstMeeting: .forgottenDeletions
        case .neverAskWhatLives, .believeAnyLiveSet, .neverWithdraw: .forgottenDeletions
        case .believeEmptyPeer: .lostStore
        case .ignoreCuts: .lateCut
        case .acceptOneBeyondCut, .checkTheAccountAlone, .forgetDeposits, .keepTalking: .revokedUnderPartition
        case .serveFormerParticipants, .readdThroughGossip: .revokedUnderPartition
        case .takeFromAnybody: .revokedUnderPartition
        case .cutBelowCheckpoint, .voidCutsByCheckpoint: .backdatingWriter
        case .believeAnyPosition, .believeTheRemovedAuthorsCheckpoint, .believeWhoLeaves: .futurePositions
        case .believeTheRemovedRemover: .futurePositions
        case .ownWithoutConsent: .handover
        case .leaveUnlistedLogs: .thief
        case .countTheVoid, .skipCommitment: .byzantineMember
        case .serveBeyondExpiry, .sleepThroughExpiry: .thief
        case .tellStrangers, .grantBeyondUses: .sharing
        case .serveWhatWasPublic, .leaveKeysUndisclosed: .publicZones
        case .ignoreTheSchema, .lastPromotionWins: .schemas
        case .keepTheKeyOfTheRemoved: .everything
        case .neverAskForKeys, .ignoreKeyRequests: .falseKeys
        case .deliverTwice, .deleteBeforeReceipt, .forgetPrekeys, .sealOnce: .messages
        case .handOutUnfetched: .messages
        case .askOnce: .payloads
        case .promiseUnfetched, .settleEarly, .dropWhenRelayed, .relayedIsDelivered: .relay
        case .believeThePromise, .leaveOnce, .tellTermsOnce, .putUnderTheDeviceID: .mailboxes
        case .leaveToOwnAlone, .leaveAllZones: .correspondence
        case .grantUnclaimed: .counting
        case .forgetNewcomers, .leaveLocked, .writeInClear: .membership
        case .leaveKeysAboveACut: .lateKey
        case .reuseNonces: .virtualMachineRollback
        case .takeThePairZone, .forgetReturns: .pairs
        case .useATicketTwice, .prolongTheOffer, .countKnownMachines, .recoverByReplacedWords: .joining
        case .earlierRemovalWins, .goByTheFirstFleetKey, .forgetRetiredFleetKeys: .joining
        case .lastNameToComeHolds: .names
        case .removalsShareTheRoom: .accountFlood
        case .shareDepositRoom: .everything
        case .boundRemovals, .takeFullControlLogs: .controlFlood
        case .eitherClockSettles: .clockAhead
        case .yieldTheNewest, .ignoreTheAddress: .doors
        }
    }
}
