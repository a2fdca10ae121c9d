import Capabilities
import Identity
import Records
import Sync
import Wire

extension ZoneDatabase {
    /// The database that shows a zone to an account.
    init(_ overview: ZoneOverview, of account: AccountID) {
        switch overview.place(for: account) {
        case .everybody: self = .public
        case .foreign: self = .shared
        case .own, .hidden: self = .private
        }
    }
}

/// Makes the views of zones for programs and people.
struct ZoneReading {
    private let committer: Committer
    private var account: AccountID { committer.account.account }

    init(_ committer: Committer) {
        self.committer = committer
    }

    /// Returns the status of a zone for people, with the progress of each other device.
    func status(of zone: ZoneRow, in transaction: any NodeTransaction) throws -> ZoneStatus {
        let positions = try ZonePositions(of: zone.id).all(in: transaction).filter { $0.row.isCompared }
        let acknowledged = try transaction.acknowledgedSizes(zone: zone.id)
        let overview = try ZoneViews(committer).overview(of: zone.id, in: transaction)
        let peers = overview.others.map { member in
            let behind = positions.reduce(UInt64(0)) { sum, position in
                // A device holds its own logs at least as far as any other device does.
                guard position.row.device != member.device else { return sum }
                let held = acknowledged[member.device]?[position.row.key] ?? 0
                return sum &+ (position.size > held ? position.size - held : 0)
            }
            return ZonePeerStatus(device: member.device, account: member.account, inSync: behind == 0, behind: behind)
        }
        let isOwn = overview.state.isOwned(by: account)
        return ZoneStatus(
            zone: zone.id,
            name: zone.genesis.name,
            container: zone.genesis.container,
            kind: zone.genesis.form,
            pairedWith: zone.genesis.partner(of: account),
            database: ZoneDatabase(overview, of: account),
            owner: isOwn ? account : overview.owner,
            isOwn: isOwn,
            rights: overview.level,
            publicAccess: overview.publicAccess,
            records: try transaction.programRecordCount(zone: zone.id),
            internalRecords: try transaction.reservedTotals(zone: zone.id).count,
            epoch: zone.sealing.epoch?.text,
            digest: try ZonePositions(of: zone.id).digest(in: transaction).digest.hex,
            peers: peers
        )
    }

    /// Returns the number of zones, and the number of own operations that some device that is to hold them has not
    /// acknowledged.
    func summary(_ transaction: any NodeTransaction) throws -> (zones: Int, pending: UInt64) {
        let zones = try transaction.zones().filter {
            try !$0.isDeleted && ZoneViews(committer).isShown($0, in: transaction)
        }
        // A zone whose operations peers may no longer take from this device waits for no peer.
        let synchronised = zones.filter { $0.role != .unknown }
        var pending: UInt64 = 0
        for zone in synchronised {
            let others = try ZoneViews(committer).overview(of: zone.id, in: transaction).others.map(\.device)
            guard !others.isEmpty else { continue }
            let held = try transaction.acknowledgedSizes(zone: zone.id)
            for log in try transaction.logs(zone: zone.id) where log.device == committer.device && log.isCompared {
                let least = others.map { held[$0]?[log.key] ?? 0 }.min()
                pending &+= log.size &- min(least ?? log.size, log.size)
            }
        }
        return (zones.count, pending)
    }
}

extension NodeTransaction {
    /// The sizes of a zone's logs that each other device has acknowledged.
    func acknowledgedSizes(zone: ZoneID) throws -> [DeviceID: [LogKey: UInt64]] {
        try acknowledgements(zone: zone).reduce(into: [:]) { $0[$1.device, default: [:]][$1.key] = $1.size }
    }
}
