/// A clause of the pages, and a way to get it wrong: in a model that omits it the sentence is left out or turned
/// round.
///
/// A test shows that random worlds notice each omission, so a clause that the resolution got wrong would be noticed
/// too.
enum Omission: String, CaseIterable, Sendable {
    // control-log.md, Rights
    case unknownAccountWaits, speakerIsOfTheAccount, speakerIsFull, removedMaySpeak
    // control-log.md, Operations; pair-zones.md, 3
    case genesisIsTheOwners, checkpointIsTheOwners, deletionIsTheOwners, correctionIsTheOwners, transferIsTheOwners,
        oneTransferCounts, ownerDoesNotLeave, publicAccessTakesAdmin, schemaTakesAdmin, epochTakesAppend,
        pairHasNoDeletion, pairHasNoCorrection, pairHasNoPublicAccess, pairHasNoGrant, pairHasNoRevocation
    // control-log.md, Grants; capabilities.md, 2
    case grantIsVoidWithItsCapability, voidPartLeavesTheRest, resourceIsTheZone, parentIsTheRight, issuerSpeaks,
        signerIsKnown, signerMayBeRemoved, narrowsDelegation, narrowsDepth, narrowsLevel, narrowsTypes,
        narrowsPrefix, narrowsNotBefore, narrowsExpiry, coveredGrantIsSettled, grantKnowsTheCheckpoints,
        capabilityWaitsForItsCarriers, capabilityIsVoidWithItsCarriers, ownershipOfAVoidTransferIsVoid
    // control-log.md, The end of a capability
    case ownerRevokesAny, revokedDescends, descendantsAreRevoked, revocationIsForEver, leaveEndsItsAccountsRights,
        leaveEndsItsDepthAndDeeper, grantedByTheLeaverGoesOn, regrantOutlivesTheLeave
    // control-log.md, Cuts and Resolving
    case aboveTheCutIsVoid, transferStandsAboveItsCut, leavesAreDecidedFirst, leavesOfOneDepthDoNotCut,
        whatCountsIsClosed, voidRightKeepsWhatIsFinal, unknownRightKeepsWhatIsFinal
    // control-log.md, Order of ownership; pair-zones.md, 3
    case transferIsToAnother, transferLiesUnderTheDevicesCut, precededTransferDropsOut, precedingTakesRank,
        rankSumsSeen, deviceAddedFirstTransfers, smallerHashTransfers, backTakesAnOperation
    // control-log.md, Consent to a transfer
    case transferTakesConsent, consentIsSigned, consentIsForTheZone, consentIsForTheOwnership, consentIsByTheAccount,
        consentTakesTheRoleFull, removedMayHaveConsented, consentWaitsForTheAccount
    // control-log.md, Offers
    case offerIsTheOwners, pairHasNoOffer, lastOfferStands, offerEndsWithTheOwnership, offerIsToAnother,
        offerTakesARight, offerTakesTheRightToRead, answerIsByTheAccount, acceptanceIsAConsent, lastAnswerHolds
    // control-log.md, public access, promotions, decisions
    case followedAccessIsOver, ownersAccessGoesFirst, lastAccessHolds, promotionsGoByRank, creatorMayWrite
    // positions.md, Definitions: the view
    case dataPositionsAreInView, viewOfTheOwnLog, ownPositionIsBelow, viewOfOtherLogs, viewOfCheckpoints,
        viewOfRevocations, viewOfLeaves, viewOfTransfers, viewOfCorrections, viewOfStatements
    // positions.md, Definitions: what stands, corrections, and of several positions which
    case formerOwnerDoesNotStand, removedDoesNotStand, standingTakesTheRoleFull, correctionNamesTheRight,
        standingCorrectionsGoFirst, formerCorrectionsHold, furtherIsTheSmallerRoot, stricterIsTheSmallerRoot,
        raisedRootIsThePositions
    // positions.md, Rule 1
    case finalRaises, finalTakesACheckpointThatStands, grantsAskFormerCheckpoints
    // positions.md, Rule 2, the cut of a log, and a stated end that exists
    case correctionRaises, correctionRaisesWhatItHadSeen, correctionBounds, correctionBoundsWhatItHadNotSeen,
        formerCorrectionsDoNotBound, confirmedEndingIsNotBounded, openIsNotBounded, strictestEndingHolds, devicesCut
    // positions.md, Rule 3: what is a statement, and of whom
    case statementListsTheDevice, statementIsByAnotherDevice, statementIsUnderTheRight, statementIsByTheAccount,
        statingTakesTheRoleFull
    // positions.md, Rule 3: what is admitted
    case revocationsBoundStatements, statementsBoundStatements, removedDoNotBoundStatements,
        leavesDoNotBoundStatements, transfersDoNotBoundStatements, finalDoesNotAdmitStatements
    // positions.md, Rule 3: what is said
    case activeStateFirst, removedStateWhereNobodyActiveDoes, furthestOfOneAuthorHolds, witnessesGoFirst,
        witnessHasToSpeak, strictestWitnessHolds, furthestOfAllHolds, unlistedIsZero
    // positions.md, Rule 3: device(log)
    case nothingSaidIsNoCut, activeOfAnotherRoleIsCut, removedOfAnotherRoleIsCut, unknownDeviceIsCut,
        ownRemovalIsNotApplied, ownStatementsAreNotBounded
}
