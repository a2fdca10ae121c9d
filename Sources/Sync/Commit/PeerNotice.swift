package import Records
package import Wire

/// The changes of one transaction that the sessions of an account with its peers have to know.
package struct PeerNotice: Sendable {
    /// A zone whose logs may have changed, with the earlier sizes of those that grew.
    package struct ZoneChange: Sendable {
        /// The zone as it is now.
        package var snapshot: ZoneSnapshot
        /// The earlier size of each log that grew.
        package var before: [LogKey: UInt64]
        /// The ends by which logs grew, as far as the transaction has them in its memory.
        package var tails: [LogKey: LogTail]

        /// Describes a change.
        package init(snapshot: ZoneSnapshot, before: [LogKey: UInt64], tails: [LogKey: LogTail] = [:]) {
            self.snapshot = snapshot
            self.before = before
            self.tails = tails
        }

        /// Takes in the next change of the same zone.
        fileprivate mutating func join(_ later: ZoneChange) {
            assert(later.snapshot.zone == snapshot.zone, "changes are joined that are of one zone")
            for key in later.before.keys {
                guard before[key] != nil else {
                    tails[key] = later.tails[key]
                    continue
                }
                // Taken out first: a tail that is changed in its place is copied.
                var tail = tails.removeValue(forKey: key)
                if let end = later.tails[key], tail?.append(end) == true { tails[key] = tail }
            }
            before.merge(later.before) { earlier, _ in earlier }
            snapshot = later.snapshot
        }
    }

    /// The account whose device made the changes.
    package private(set) var account: AccountID
    /// Zones of several accounts whose rights may have changed; reported before the zones.
    package private(set) var authorities: [ZoneAuthority]
    /// Zones whose logs may have grown, in the order of the changes.
    package private(set) var zones: [ZoneChange]
    /// Zones that are no longer synchronised.
    package private(set) var forgotten: [ZoneID]
    /// Payloads that are not fetched any more.
    package private(set) var unwanted: [PayloadID]

    /// The zones in which logs or rights may have changed, or that were not known before.
    package var changedZones: Set<ZoneID> {
        Set(zones.map(\.snapshot.zone)).union(authorities.map(\.zone))
    }

    /// Describes changes.
    package init(
        of account: AccountID,
        authorities: [ZoneAuthority] = [],
        zones: [ZoneChange] = [],
        forgotten: [ZoneID] = [],
        unwanted: [PayloadID] = []
    ) {
        self.account = account
        self.authorities = authorities
        self.zones = zones
        self.forgotten = forgotten
        self.unwanted = unwanted
    }

    /// Takes in the changes of a later part of the same transaction.
    mutating func merge(_ later: PeerNotice) {
        account = later.account
        authorities += later.authorities
        zones += later.zones
        forgotten += later.forgotten
        unwanted += later.unwanted
    }

    /// The most changes of zones that are joined.
    private static let joinedCountMax = 64

    /// Takes in the changes of the next transaction, if they are about zones alone, so that peers receive the operations of both in one run.
    ///
    /// Writes that wait for one another are committed together, and each has a notice of its own.
    /// - Parameter later: The changes of the next transaction.
    /// - Returns: False where they stay apart; then nothing has changed.
    package mutating func join(_ later: PeerNotice) -> Bool {
        guard later.account == account, later.authorities.isEmpty, later.forgotten.isEmpty, later.unwanted.isEmpty,
            zones.count + later.zones.count <= Self.joinedCountMax
        else { return false }
        for change in later.zones {
            if let place = zones.lastIndex(where: { $0.snapshot.zone == change.snapshot.zone }) {
                zones[place].join(change)
            } else {
                zones.append(change)
            }
        }
        return true
    }
}
