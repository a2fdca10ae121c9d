package import Wire

/// The changes of one transaction that the sessions of an account with its peers have to know.
package struct PeerNotice: Sendable {
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
}
