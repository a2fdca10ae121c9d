package import Wire

/// The changes of one transaction of the node, for listeners once the transaction is durable.
package struct CommitNotice: Sendable {
    /// A zone whose logs may have changed, with the earlier sizes of those that grew.
    package struct ZoneChange: Sendable {
        /// The zone as it is now.
        package var snapshot: ZoneSnapshot
        /// The earlier size of each log that grew.
        package var before: [LogKey: UInt64]

        /// Describes a change.
        package init(snapshot: ZoneSnapshot, before: [LogKey: UInt64]) {
            self.snapshot = snapshot
            self.before = before
        }
    }

    /// The account by which zones were changed; `nil` when none was.
    package var account: AccountID?
    /// The number of the commit; `nil` when nothing of the store's own changed.
    package var number: UInt64?
    /// Zones of several accounts whose rights may have changed; reported before the zones.
    package var authorities: [ZoneAuthority] = []
    /// Zones whose logs may have grown, in the order of the changes.
    package var zones: [ZoneChange] = []
    /// Zones that are no longer synchronised.
    package var forgotten: [ZoneID] = []
    /// Whether the feed of changes grew: by records, or by entries about zones.
    package var hasRecordChanges = false
    /// Zones that appeared, in which this account may do something else now, or that are not shown any more.
    package var zoneEvents: [(zone: ZoneID, isDeleted: Bool)] = []
    /// Zones in which the writes that wait for a person to adopt or purge them may have changed.
    package var quarantines: Set<ZoneID> = []
    /// Zones whose offer to another account came, was answered, or is over.
    package var offers: Set<ZoneID> = []
    /// Whether a payload is complete, was given up, or is not needed: messages with it can be delivered, or reported as failed.
    package var hasSettledPayloads = false
    /// Payloads that are not fetched any more.
    package var unwanted: [PayloadID] = []
    /// The store's new lifetime, if one has begun.
    package var renewed: Incarnation?
    /// For each log that was found to be forked, a head of it.
    package var forks: [TreeHead] = []
    /// The anomalies that were found in it.
    package var anomalies: [Anomaly] = []
    /// For each log in which a copy of this device wrote, a head of it.
    package var clones: [TreeHead] = []
    /// The checkpoint that was made, if one was.
    package var checkpoint: Checkpoint?

    /// Describes the changes of a transaction.
    /// - Parameters:
    ///   - number: The number of the commit, if it changed anything.
    ///   - hasRecordChanges: Whether the feed of changes grew.
    ///   - renewed: The new lifetime, if one has begun.
    package init(number: UInt64? = nil, hasRecordChanges: Bool = false, renewed: Incarnation? = nil) {
        self.number = number
        self.hasRecordChanges = hasRecordChanges
        self.renewed = renewed
    }

    /// Whether accounts may do something else in a zone now, or keys may have come: whenever a control log grew.
    package var mayChangeRights: Bool {
        !authorities.isEmpty || !zoneEvents.isEmpty
            || zones.contains { $0.before.keys.contains { $0.lane == .control } }
    }

    /// Notes payloads that an account does not fetch any more.
    mutating func noteUnwanted(_ payloads: [PayloadID], by account: AccountID) {
        guard !payloads.isEmpty else { return }
        self.account = account
        unwanted += payloads
    }

    /// Takes in the changes of a later part of the same transaction.
    package mutating func merge(_ later: CommitNotice) {
        account = later.account ?? account
        number = later.number ?? number
        authorities += later.authorities
        zones += later.zones
        forgotten += later.forgotten
        hasRecordChanges = hasRecordChanges || later.hasRecordChanges
        zoneEvents += later.zoneEvents
        quarantines.formUnion(later.quarantines)
        offers.formUnion(later.offers)
        hasSettledPayloads = hasSettledPayloads || later.hasSettledPayloads
        unwanted += later.unwanted
        renewed = later.renewed ?? renewed
        forks += later.forks
        anomalies += later.anomalies
        clones += later.clones
        checkpoint = later.checkpoint ?? checkpoint
    }
}
