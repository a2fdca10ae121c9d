import FoundationEssentials
import KairanInterface
import Node
import Wire

extension ZoneStatus: ResourceView {
    /// Also the link that opens a zone for everybody: only its shares have it.
    static var leftOut: Set<String> { AccountNames.nameMembers.union(["link"]) }

    var resource: Zone {
        Zone(
            zone: zone.text,
            name: name,
            container: container,
            kind: kind.resource,
            pairWith: pairedWith?.text,
            database: database.resource,
            owner: owner.text,
            isOwn: isOwn,
            rights: AccessRights(rights),
            publicAccess: publicAccess.resource(link: nil),
            records: records,
            internalRecords: internalRecords,
            epoch: epoch,
            digest: digest,
            peers: peers.map {
                ZonePeer(device: $0.device.text, account: $0.account.text, inSync: $0.inSync, behind: $0.behind)
            }
        )
    }
}

extension ZoneForm {
    var resource: Zone.Kind { Zone.Kind(rawValue: rawValue) }
}

extension ZoneDatabase {
    var resource: Zone.DatabaseName { Zone.DatabaseName(rawValue: rawValue) }
}

extension AccessRights {
    /// The rights of a level; `none` without one.
    init(_ level: AccessLevel?) { self = level.map { AccessRights(rawValue: $0.name) } ?? .none }
}

extension ZoneChangeView: ResourceView {
    static var leftOut: Set<String> { ZoneStatus.leftOut }

    var resource: ZoneChange {
        ZoneChange(status.resource, departure: departure.flatMap(ZoneDeparture.Reason.init(rawValue:)))
    }
}

extension GoneZoneStatus: ResourceView {
    var resource: GoneZone {
        GoneZone(
            zone: zone.text,
            name: name,
            container: container,
            kind: GoneZone.Kind(rawValue: end.kind.rawValue),
            reason: end.reason
        )
    }
}

extension QuarantineView: ResourceView {
    var resource: QuarantinedWrite {
        QuarantinedWrite(
            id: id,
            zone: zone.text,
            record: record,
            type: type,
            isDeletion: isDeletion,
            author: author.text,
            reason: reason,
            writtenAt: Date(milliseconds: writtenAt),
            size: Int(clamping: byteCount)
        )
    }
}

extension SyncEvent: ResourceView {
    var resource: DaemonEvent.SyncReport {
        let ended = durationMilliseconds.map { startedMilliseconds + $0 }
        return DaemonEvent.SyncReport(
            id: number,
            kind: kind,
            zone: zone?.text,
            peer: peer.text,
            account: account.text,
            count: count,
            startedAt: Date(milliseconds: startedMilliseconds),
            endedAt: ended.map(Date.init(milliseconds:)),
            durationMilliseconds: durationMilliseconds,
            succeeded: succeeded,
            error: error.map(DaemonEvent.SyncReport.Failure.init(rawValue:))
        )
    }
}

extension AnomalyEvent: ResourceView {
    /// None: the names of devices are the event's own.
    static var leftOut: Set<String> { [] }

    var resource: DaemonEvent.Anomaly {
        DaemonEvent.Anomaly(
            kind: kind,
            count: count,
            author: author?.text,
            authorName: authorName,
            peer: peer?.text,
            peerName: peerName,
            account: account?.text,
            zone: zone?.text
        )
    }
}
