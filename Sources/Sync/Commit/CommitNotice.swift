import Records
package import Wire

/// The changes of one transaction of the node, for listeners once the transaction is durable.
package struct CommitNotice: Sendable {
    /// The number of the commit; `nil` when nothing of the store's own changed.
    package var number: UInt64?
    /// The store's new lifetime, if one has begun.
    package var renewed: Incarnation?
    /// The changes for sessions with peers; `nil` when there are none.
    package private(set) var peers: PeerNotice?
    /// The kinds of entries by which the feed of changes grew.
    ///
    /// A kind that is added here is one of entries that are not in ``feedTail``, which is `nil` then.
    package var feed: FeedGrowth {
        get { growth }
        set {
            growth = newValue
            if !newValue.isEmpty { isFeedRemembered = false }
        }
    }
    private var growth: FeedGrowth
    /// All entries by which the feed grew; `nil` where the transaction does not have all of them in its memory.
    package var feedTail: FeedTail? { isFeedRemembered ? rememberedTail : nil }
    private var rememberedTail: FeedTail?
    private var isFeedRemembered: Bool
    /// The writes of a change of a zone, until ``Committer/tracking(_:in:_:)`` has compared them with the zone.
    var memory: CommitMemory?
    /// Whether the inbox has entered the messages and receipts by which the feed grew.
    package var hasEnteredMessages = false
    /// Zones that appeared, in which this account may do something else now, or that are not shown
    /// any more.
    package var zoneEvents: [(zone: ZoneID, isDeleted: Bool)] = []
    /// Zones in which the writes that wait for a person to adopt or purge them may have changed.
    package var quarantines: Set<ZoneID> = []
    /// Zones whose offer to another account came, was answered, or is over.
    package var offers: Set<ZoneID> = []
    /// Whether a payload is complete, was given up, or is not needed: messages with it can be
    /// delivered, or reported as failed; or whether one was damaged here and is wanted again.
    package var hasSettledPayloads = false
    /// Payloads of assets whose state may have changed, or of which more is here.
    package var assets: Set<PayloadID> = []
    /// Whether payloads are wanted now that were not before, or under other zones than before.
    package var hasWants = false
    /// Contents of records that relays may have to keep from now on.
    package var custody = CustodyNews()
    /// Whether references to payloads are to be looked at that the feed does not report.
    package var hasUnseenAssets = false
    /// For each log that was found to be forked, a head of it.
    package var forks: [TreeHead] = []
    /// The anomalies that were found in it.
    package var anomalies: [Anomaly] = []
    /// For each log in which a copy of this device wrote, a head of it.
    package var clones: [TreeHead] = []

    /// Describes the changes of a transaction.
    /// - Parameters:
    ///   - number: The number of the commit, if it changed anything.
    ///   - feed: The kinds of entries by which the feed of changes grew.
    ///   - renewed: The new lifetime, if one has begun.
    package init(number: UInt64? = nil, feed: FeedGrowth = [], renewed: Incarnation? = nil) {
        self.number = number
        growth = feed
        isFeedRemembered = feed.isEmpty
        self.renewed = renewed
    }

    /// Describes the changes by writes of this device, within ``Committer/tracking(_:in:_:)``.
    /// - Parameter commit: The outcome of the writes.
    init(_ commit: Commit) {
        self.init(number: commit.number, feed: FeedGrowth(commit.changed))
        memory = CommitMemory(log: commit.tail, changed: commit.changed, bySync: false)
    }

    /// Describes the changes by a ruling on a zone's logs.
    /// - Parameters:
    ///   - outcome: The changes; with `nil` the notice has no number.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
    init(_ outcome: RulingOutcome?, zone: ZoneID, in transaction: inout some NodeTransaction) throws {
        self.init()
        guard let outcome else { return }
        number = try transaction.nextCommitNumber()
        feed = FeedGrowth(outcome.changed)
        quarantines = [zone]
    }

    /// Zones whose logs may have grown, in the order of the changes.
    package var zones: [PeerNotice.ZoneChange] { peers?.zones ?? [] }
    /// Zones of several accounts whose rights may have changed.
    package var authorities: [ZoneAuthority] { peers?.authorities ?? [] }

    /// Whether the feed grew by messages or receipts that the inbox has not entered.
    package var needsInbox: Bool { feed.contains(.messages) && !hasEnteredMessages }

    /// Whether a round of ``Assets`` may have something to look at.
    ///
    /// A record that names a payload no more makes no round due: nothing is dropped for days, and each round of maintenance marks it.
    package var needsAssetRound: Bool { hasUnseenAssets || feed.contains(.assets) }

    /// Whether accounts may do something else in a zone now, or keys may have come: whenever a
    /// control log grew.
    package var mayChangeRights: Bool {
        !authorities.isEmpty || !zoneEvents.isEmpty
            || zones.contains { $0.before.keys.contains { $0.lane == .control } }
    }

    /// Notes changes for sessions with peers, which they learn after those noted before.
    package mutating func note(_ changes: PeerNotice) {
        if peers == nil { peers = changes } else { peers?.merge(changes) }
    }

    /// Notes payloads that an account does not fetch any more.
    mutating func noteUnwanted(_ payloads: [PayloadID], by account: AccountID) {
        guard !payloads.isEmpty else { return }
        note(PeerNotice(of: account, unwanted: payloads))
    }

    /// Notes that the state of a payload may have changed, if it is an asset's.
    mutating func noteAsset(_ row: PayloadRow) {
        if row.isAsset, let id = row.id { assets.insert(id) }
    }

    /// Notes that a change of a zone made the feed longer.
    /// - Parameter tail: All entries by which it did, if they are remembered.
    mutating func feedGrew(by tail: FeedTail?) {
        isFeedRemembered = tail != nil && rememberedTail == nil
        rememberedTail = tail
    }

    /// Takes in the changes of a later part of the same transaction.
    package mutating func merge(_ later: CommitNotice) {
        number = later.number ?? number
        renewed = later.renewed ?? renewed
        if let changes = later.peers { note(changes) }
        growth.formUnion(later.growth)
        isFeedRemembered = isFeedRemembered && later.isFeedRemembered
        if let tail = later.rememberedTail {
            if rememberedTail?.append(tail) == false { isFeedRemembered = false }
            if rememberedTail == nil { rememberedTail = tail }
        }
        // An earlier entry does not include messages that were written later.
        hasEnteredMessages = later.hasEnteredMessages || hasEnteredMessages && !later.feed.contains(.messages)
        zoneEvents += later.zoneEvents
        quarantines.formUnion(later.quarantines)
        offers.formUnion(later.offers)
        hasSettledPayloads = hasSettledPayloads || later.hasSettledPayloads
        assets.formUnion(later.assets)
        hasWants = hasWants || later.hasWants
        custody.merge(later.custody)
        hasUnseenAssets = hasUnseenAssets || later.hasUnseenAssets
        forks += later.forks
        anomalies += later.anomalies
        clones += later.clones
    }
}
