import Identity
import Peering
import Records
import Sync
import Wire

/// The laws that a node's reports of peers and payloads are true.
struct ClaimLaw {
    private let evidence: Evidence
    /// Devices that write records that the schema of a zone forbids, and are honest otherwise.
    var schemaBreakers: Set<DeviceID> = []

    init(_ evidence: Evidence) { self.evidence = evidence }

    /// Checks that everything acknowledged by a device is durable there.
    func checkAcknowledgements(in zone: ZoneID, _ commit: ObservedCommit) throws {
        for row in commit.after.acknowledgements(zone: zone, since: commit.before) {
            guard !evidence.disturbedDevices.contains(row.device), !evidence.byzantine.contains(row.device),
                !evidence.library.forked.contains(row.key), let store = evidence.durableStore(of: row.device)
            else { continue }
            let log = try store.log(row.key)
            let held = log?.size ?? 0
            if held >= row.size { continue }
            // Operations that no member needs any more are acknowledged without being kept.
            if let log, log.cut != nil || log.isForked { continue }
            if case .deleted = try store.zone(zone)?.state { continue }
            throw commit.violation(
                .truthfulAcknowledgement,
                "\(row.device.shortText) is taken to hold \(row.key) up to \(row.size), but holds \(held) durably"
            )
        }
    }

    /// Checks that a payload that a relay promises is durable there.
    func promised(_ answer: CustodyAnswer, by node: SimulatedNode) throws {
        guard case .stored = answer.outcome else { return }
        evidence.checkCount += 1
        guard try node.disk.image().database?.payload(answer.payload)?.state != .present else { return }
        throw Violation(.custody, at: node, "a relay promises a payload that is not durable there")
    }

    /// Checks that only a byzantine device is taken for a liar.
    func mistrusts(_ device: DeviceID, on node: SimulatedNode) throws {
        evidence.checkCount += 1
        guard !evidence.byzantine.contains(device) else { return }
        throw Violation(
            .messages,
            at: node,
            "\(device.shortText) is reported for a wrong answer about a payload, and it does not lie"
        )
    }

    /// Checks that an anomaly names a liar: the author of the signed part, else the device that sent it.
    ///
    /// A log forks without a liar where a disk is rolled back.
    func reported(_ anomaly: Anomaly, by node: SimulatedNode) throws {
        evidence.checkCount += 1
        guard anomaly.kind != .forkedLog, !evidence.byzantine.contains(node.device),
            let accused = anomaly.author ?? anomaly.peer, !evidence.byzantine.contains(accused),
            anomaly.kind != .outOfSchema || !schemaBreakers.contains(accused)
        else { return }
        throw Violation(
            .anomalies,
            at: node,
            "\(accused.shortText) is reported as \(anomaly.kind.rawValue) (\(anomaly.detail)), and it does not lie"
        )
    }
}
