import Identity
import Logging
import Sync
import Wire

// Anomalies as people see them: events, lines in the log, and a metric.
extension SyncService {
    /// Counts an anomaly, and reports it unless others of its kind were reported just now.
    func found(_ anomaly: Anomaly) {
        dependencies.measures.anomalies.add(anomaly.kind, Int(clamping: anomaly.count))
        if let told = anomalies.found(anomaly, at: dependencies.clock.monotonic()) { tell(told) }
    }

    /// Reports the collected anomalies to watchers and the log.
    func tell(_ anomaly: Anomaly) {
        let event = AnomalyEvent(
            anomaly,
            authorName: anomaly.author.flatMap { name(of: $0) },
            peerName: anomaly.peer.flatMap { name(of: $0) }
        )
        dependencies.hub.publish(.anomaly(event))
        var metadata: Logger.Metadata = [
            "kind": "\(anomaly.kind.rawValue)", "count": "\(anomaly.count)",
            "detail": "\(anomaly.detail.prefix(Self.detailCountMax))",
        ]
        if let author = anomaly.author { metadata["author.id"] = "\(author.shortText)" }
        if let peer = anomaly.peer { metadata["peer.id"] = "\(peer.shortText)" }
        if let zone = anomaly.zone { metadata["zone.id"] = "\(zone.shortText)" }
        dependencies.logger.warning("anomaly", metadata: metadata)
    }

    /// Characters of a reason that are logged.
    private static let detailCountMax = 300

    /// The name of a device in the log of its account, as far as that is held here.
    private func name(of device: DeviceID) -> String? {
        let identity = dependencies.identity
        if let known = identity.accountState.devices[device] { return known.name }
        return identity.contacts.all.values.lazy.compactMap { $0.state.devices[device]?.name }.first
    }
}
