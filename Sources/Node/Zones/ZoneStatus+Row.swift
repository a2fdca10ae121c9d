import Identity
import Records
import Sync
import Wire

extension ReplicaService {
    /// What people are told of a zone, with how far each other device is.
    func status(of zone: ZoneRow, in transaction: any NodeTransaction) throws -> ZoneStatus {
        let positions = try Replica.positions(zone: zone.id, in: transaction)
        var acknowledged: [DeviceID: [LogKey: UInt64]] = [:]
        for row in try transaction.acknowledgements(zone: zone.id) {
            acknowledged[row.device, default: [:]][row.key] = row.size
        }
        let account = identity.accountState
        let peers = account.activeDevices.filter { $0 != identity.device }.map { device in
            let behind = positions.reduce(UInt64(0)) { sum, position in
                // A device holds its own logs at least as far as anybody else does.
                guard position.row.device != device else { return sum }
                let held = acknowledged[device]?[position.row.key] ?? 0
                return sum &+ (position.size > held ? position.size - held : 0)
            }
            return ZonePeerStatus(device: device, account: account.account, inSync: behind == 0, behind: behind)
        }
        return ZoneStatus(
            zone: zone.id,
            name: zone.genesis.name,
            container: zone.genesis.container,
            database: "private",
            owner: zone.genesis.owner,
            rights: "admin",
            records: try transaction.recordCount(zone: zone.id),
            epoch: nil,
            digest: try Replica.digest(zone: zone.id, in: transaction).digest.hex,
            peers: peers
        )
    }

    /// How many zones there are, and how many of our own operations some device has not acknowledged.
    func summary(_ transaction: any NodeTransaction) throws -> (zones: Int, pending: UInt64) {
        let zones = try transaction.zones().filter { $0.genesis.owner == identity.account && !$0.isDeleted }
        let others = identity.accountState.activeDevices.filter { $0 != identity.device }
        var pending: UInt64 = 0
        for zone in zones where !others.isEmpty {
            var held: [DeviceID: [LogKey: UInt64]] = [:]
            for row in try transaction.acknowledgements(zone: zone.id) {
                held[row.device, default: [:]][row.key] = row.size
            }
            for log in try transaction.logs(zone: zone.id) where log.device == identity.device {
                let least = others.map { held[$0]?[log.key] ?? 0 }.min()
                pending &+= log.size &- min(least ?? log.size, log.size)
            }
        }
        return (zones.count, pending)
    }
}
