import Identity
import Logging
import Records
import Sync
import Wire

// Checkpoints: made when all active devices have acknowledged enough, adopted when this store holds what they cover.
extension ReplicaService {
    /// Days of silence after which a device is no longer waited for.
    static let lapseMilliseconds: UInt64 = 90 * 24 * 60 * 60 * 1_000

    /// Makes a checkpoint of a zone if one is due, and forgets what adopted ones cover.
    func checkpointIfDue(_ zone: ZoneID, in transaction: inout any NodeTransaction) throws -> CommitNotice {
        guard let row = try transaction.zone(zone), row.state == .live, !row.isUnverified else { return CommitNotice() }
        let now = clock.wall()
        let name = "checkpoint." + zone.text
        let last = try transaction.value(named: name).flatMap { try UInt64(text: $0) } ?? 0
        var acknowledged: [DeviceID: [LogKey: UInt64]] = [:]
        for row in try transaction.acknowledgements(zone: zone) {
            acknowledged[row.device, default: [:]][row.key] = row.size
        }
        let account = identity.accountState
        let seen = Dictionary(try transaction.peers().map { ($0.device, $0.lastSeenMilliseconds) }) { first, _ in first
        }
        let lapsed = account.activeDevices.filter { device in
            guard device != identity.device, let met = seen[device], met > 0 else { return false }
            return now > met + Self.lapseMilliseconds
        }
        let due = try Replica.dueCheckpoint(
            zone: zone,
            acknowledged: acknowledged,
            activeDevices: Set(account.activeDevices).subtracting(lapsed),
            ownDevice: identity.device,
            lapsed: lapsed,
            nowMilliseconds: now,
            lastMilliseconds: last,
            in: transaction
        )
        guard let due else { return CommitNotice() }
        return try tracking(zone, in: &transaction) { transaction in
            try commitControl(.checkpoint(due), zone: zone, in: &transaction)
            try adoptCheckpoints(zone: zone, in: &transaction)
            try transaction.setValue(Array(String(now).utf8), named: name)
            logger.info(
                "checkpoint made",
                metadata: ["zone.id": "\(zone.shortText)", "live": "\(due.liveCount)"]
            )
            return CommitNotice(number: try transaction.nextCommitNumber())
        }
    }

    func adoptCheckpoints(zone: ZoneID, in transaction: inout any NodeTransaction) throws {
        while case .adopted = try Replica.adoptCheckpoint(zone: zone, in: &transaction) {}
    }
}

extension UInt64 {
    /// Reads decimal digits that this program wrote.
    fileprivate init(text bytes: [UInt8]) throws {
        guard let value = UInt64(String(decoding: bytes, as: UTF8.self)) else {
            throw StorageError(code: .corrupt, message: "a stored number is damaged")
        }
        self = value
    }
}
