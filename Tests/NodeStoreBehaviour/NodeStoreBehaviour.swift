package import Sync

/// The promises of every store of a node, beyond those of every store of a replica.
///
/// Each case is a sentence and a check on an empty store, as in `ReplicaBehaviour`.
package enum NodeStoreBehaviour: String, CaseIterable, Sendable {
    case zonesAreFound = "zones are found by the bytes of their names, and by a range of their ids"
    case recordsPageByName = "records page in the order of their names' bytes, deleted ones left out"
    case versionsAreFound = "the operation that left a record in a version is found, what was merged is no such version"
    case recordsAreCounted = "records are counted as they come, go and come back"
    case recordBytesAreCounted = "the bytes of records are counted as they grow, shrink, go, come back and disagree"
    case conflictsAreListed = "records with conflicts are listed until they are resolved"
    case theFeedHasEachRecordOnce = "the change feed has each record once, at its newest position"
    case theFeedKnowsOtherTypes = "the change feed says of a record that it had another type, for ever"
    case theFeedPages = "the change feed pages by position, over all zones or one"
    case bookkeepingIsNoChange = "what no reader sees does not enter the change feed"
    case theFeedHasAnIdentity = "the change feed's identity has sixteen bytes and stays"
    case accountEntriesKeepTheirOrder = "account entries keep their order and can be dropped"
    case peersHaveOneRow = "a met device has one row with at most four addresses"
    case acknowledgementsGrow = "an acknowledgement only grows"
    case messagesAreKept = "messages are kept by id, and listed by zone, state, receipt and time"
    case messagesAreHeld = "messages of which a further sealing waits are listed by the time since which it does"
    case messagesHavePlaces = "messages are found by the section of the log in which their records were made"
    case prekeysAreKept = "prekeys are kept by id, one of a zone is the present one, and the others are listed by age"
    case payloadsAreKept =
        "payloads are kept with their chunks, and listed where some are missing or no message needs them"
    case assetsAreReferenced =
        "the payloads that records name are found by record, zone and payload, and each reference is seen once"
    case assetPoliciesAreKept = "the rule of a zone for its assets is set, replaced and removed"
    case assetsAreMarked =
        "assets are kept while a record names them, and listed where their rows say otherwise"
    case endedZonesNameNothing =
        "records of a zone that has ended keep no assets, and those of one that is live again are looked at again"
    case evictionsAreKept = "attempts to evict payloads, and promises to keep them, are kept one for each payload"
    case holdersAreNoted =
        "the last statement of each device about a payload is kept, found by time, and forgotten with either"
    case presentAssetsAreListed = "assets whose contents are here are listed in the order of their numbers"
    case linksAreKept =
        "links are kept by payload and place, found by the beginning of a path, and forgotten with either"
    case parcelsAreRemembered = "what was left for others is kept in order, and how far may go back"
    case messagesHaveAFeed =
        "the feed of messages has those and receipts alone, by type and by name, each once, at its newest position"
    case valuesAreReplaced = "a named value is set, replaced and removed"
    case upkeepIsKept = "the upkeep of a zone is kept in all its parts, and nothing is noted of another zone"
    case marksAreKept = "a zone has one entry in the feed, and the newest entry of all zones is known"
    case offersAreNoted = "the offer of a zone is noted with its answer, replaced and removed"
    case sharedSizesAreNoted = "the size that others hold of a log is noted for its lane, replaced and removed"
    case knownDevicesAreReplaced = "the known devices are replaced as a whole"
    case requestedIndexesKeepTheirOrder = "requested indexes keep their order, and none requested is not nothing noted"
    case numbersAreTakenOnce = "numbers of messages and payloads are taken once, beside the place of the inbox"
    case queriesAreAnswered = "queries are answered as the evaluator says, whatever indexes there are"
    case queryPagesAreStable = "between pages of a query, a record that stays as it is is neither skipped nor doubled"
    case indexesAreBuilt =
        "indexes are built and dropped a little at a time, and words searched only where one is for them"

    case numbersHaveLimits = "numbers and lengths are read back as large as may be, and larger ones are refused"
    case timesAreClamped = "a time, or a size that a peer states, is at most the largest that there is"
    case someThingsAreSingle = "a number, the id of a payload and the place of a present prekey are given once"
    case refusedRecordsLeaveNoTrace = "records that are refused leave no trace, nor do those saved with them"
    case namesAreBytes = "names are compared by their bytes, whatever these are"

    /// A result of a check that differs from the promise.
    package struct Failure: Error, CustomStringConvertible {
        /// The promise and the place.
        package let description: String
    }

    /// Runs the check.
    /// - Parameter store: A transaction of an empty store.
    /// - Throws: `Failure`, or an error of the store.
    package func check(in store: inout some NodeTransaction) throws {
        switch self {
        case .zonesAreFound: try checkZones(&store)
        case .recordsPageByName: try checkPages(&store)
        case .versionsAreFound: try checkVersions(&store)
        case .recordsAreCounted: try checkCount(&store)
        case .recordBytesAreCounted: try checkByteCount(&store)
        case .conflictsAreListed: try checkConflicts(&store)
        case .theFeedHasEachRecordOnce: try checkFeed(&store)
        case .theFeedKnowsOtherTypes: try checkRetyping(&store)
        case .theFeedPages: try checkFeedPages(&store)
        case .bookkeepingIsNoChange: try checkBookkeeping(&store)
        case .theFeedHasAnIdentity: try checkIdentity(&store)
        case .accountEntriesKeepTheirOrder: try checkEntries(&store)
        case .peersHaveOneRow: try checkPeers(&store)
        case .acknowledgementsGrow: try checkAcknowledgements(&store)
        case .messagesAreKept: try checkMessages(&store)
        case .messagesAreHeld: try checkHeldMessages(&store)
        case .messagesHavePlaces: try checkMessagePlaces(&store)
        case .prekeysAreKept: try checkPrekeys(&store)
        case .payloadsAreKept: try checkPayloads(&store)
        case .assetsAreReferenced: try checkAssetReferences(&store)
        case .assetPoliciesAreKept: try checkAssetPolicies(&store)
        case .assetsAreMarked: try checkAssets(&store)
        case .endedZonesNameNothing: try checkAssetsOfEndedZone(&store)
        case .evictionsAreKept: try checkEvictions(&store)
        case .holdersAreNoted: try checkHolders(&store)
        case .presentAssetsAreListed: try checkPresentAssets(&store)
        case .linksAreKept: try checkLinks(&store)
        case .parcelsAreRemembered: try checkPost(&store)
        case .messagesHaveAFeed: try checkMessageFeed(&store)
        case .valuesAreReplaced: try checkValues(&store)
        case .upkeepIsKept: try checkUpkeep(&store)
        case .marksAreKept: try checkMarks(&store)
        case .offersAreNoted: try checkOffers(&store)
        case .sharedSizesAreNoted: try checkSharedSizes(&store)
        case .knownDevicesAreReplaced: try checkKnownDevices(&store)
        case .requestedIndexesKeepTheirOrder: try checkRequestedIndexes(&store)
        case .numbersAreTakenOnce: try checkNumbersTaken(&store)
        case .queriesAreAnswered: try checkQueries(&store)
        case .queryPagesAreStable: try checkQueryPages(&store)
        case .indexesAreBuilt: try checkIndexes(&store)
        case .numbersHaveLimits: try checkNumberLimits(&store)
        case .timesAreClamped: try checkTimeLimits(&store)
        case .someThingsAreSingle: try checkSingles(&store)
        case .refusedRecordsLeaveNoTrace: try checkRefusedRecords(&store)
        case .namesAreBytes: try checkNames(&store)
        }
    }

    /// Fails unless a condition holds.
    func require(_ condition: Bool, line: Int = #line) throws {
        guard condition else { throw Failure(description: "\(rawValue) (line \(line))") }
    }

    /// Returns a value that must be there.
    func required<Value>(_ value: Value?, line: Int = #line) throws -> Value {
        guard let value else { throw Failure(description: "\(rawValue): nothing (line \(line))") }
        return value
    }
}
