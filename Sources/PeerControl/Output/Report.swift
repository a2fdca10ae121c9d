import KairanClient

/// A report about the daemon, for the people who help: its parts are listed here one by one, so that nothing else
/// gets in.
///
/// Without names, devices, accounts, zones and relays are numbered in the order of their occurrence.
struct Report {
    let checks: [HealthCheck]
    let status: DaemonStatus
    let peers: [Peer]
    let zones: [Zone]
    let pending: PendingWork
    let relays: [Relay]
    let metrics: MetricsReport
    /// Whether names, ids, addresses and the words of warnings are wanted.
    let withNames: Bool

    /// Asks the daemon for all of it.
    /// - Throws: `KairanError`.
    static func collect(from client: DaemonClient, checks: [HealthCheck], withNames: Bool) async throws -> Report {
        try await Report(
            checks: checks,
            status: client.status(),
            peers: DaemonClient.decode(client.document(.peers)),
            zones: DaemonClient.decode(client.document(.zones(in: nil))),
            pending: DaemonClient.decode(client.document(.pending(zone: nil))),
            relays: DaemonClient.decode(client.document(.relays)),
            metrics: client.metrics(),
            withNames: withNames
        )
    }

    /// The report.
    var json: JSONValue {
        var ids = Numbering(showsIDs: withNames)
        let status: JSONValue = [
            "version": .string(status.version), "state": .string(status.state.rawValue),
            "device": ids.name("device", status.device), "account": ids.name("account", status.account),
            "peers": .integer(Int64(status.peers)), "zones": .integer(Int64(status.zones)),
            "pending": Self.count(status.pending), "listens": .bool(status.listeningPort != nil),
        ]
        return [
            "format": "kairan-report-1",
            "with_names": .bool(withNames),
            "status": status,
            "checks": .array(checks.map(json)),
            "warnings": .array(self.status.health.map(json)),
            "peers": .array(peers.map { json($0, &ids) }),
            "zones": .array(zones.map { json($0, &ids) }),
            "pending": .array(pending.pending.map { json($0, &ids) }),
            "relays": .array(relays.map { json($0, &ids) }),
            "metrics": metrics.json,
        ]
    }

    private static func count(_ number: UInt64) -> JSONValue { .integer(Int64(clamping: number)) }

    /// Returns an object, with the members that identify people and places if they are wanted.
    private func object(_ members: [JSONMember], naming names: [JSONMember]) -> JSONValue {
        .object(members + (withNames ? names : []))
    }

    private func json(_ check: HealthCheck) -> JSONValue {
        object(
            [
                JSONMember("code", .string(check.code)), JSONMember("ok", .bool(check.isGood)),
                JSONMember("severity", .string(check.severity.rawValue)),
            ],
            naming: [JSONMember("message", .string(check.message)), JSONMember("fix", .string(check.fix))]
        )
    }

    private func json(_ notice: HealthNotice) -> JSONValue {
        object(
            [
                JSONMember("code", .string(notice.code)), JSONMember("severity", .string(notice.severity.rawValue)),
                JSONMember("acknowledged", .bool(notice.isAcknowledged ?? false)),
            ],
            naming: [JSONMember("message", .string(notice.message)), JSONMember("fix", .string(notice.fix))]
        )
    }

    private func json(_ peer: Peer, _ ids: inout Numbering) -> JSONValue {
        object(
            [
                JSONMember("device", ids.name("device", peer.device)),
                JSONMember("account", ids.name("account", peer.account)),
                JSONMember("state", .string(peer.state.rawValue)),
                JSONMember("via", peer.via.map { .string($0.rawValue) } ?? .null),
                JSONMember("role", .string(peer.role.rawValue)),
                JSONMember("silence_ms", peer.silenceMilliseconds.map(Self.count) ?? .null),
                JSONMember("rtt_ms", peer.roundTripMilliseconds.map(JSONValue.number) ?? .null),
                JSONMember("skew_ms", peer.skewMilliseconds.map(JSONValue.integer) ?? .null),
                JSONMember("channel_version", peer.channelVersion.map { .integer(Int64($0)) } ?? .null),
                JSONMember("version", peer.version.map(JSONValue.string) ?? .null),
            ],
            naming: [
                JSONMember("name", .string(peer.name)),
                JSONMember("address", peer.address.map(JSONValue.string) ?? .null),
                JSONMember("trouble", peer.trouble.map { .string($0.error) } ?? .null),
            ]
        )
    }

    private func json(_ zone: Zone, _ ids: inout Numbering) -> JSONValue {
        let peers = zone.peers.map { peer -> JSONValue in
            [
                "device": ids.name("device", peer.device), "in_sync": .bool(peer.inSync),
                "behind": Self.count(peer.behind),
            ]
        }
        return object(
            [
                JSONMember("zone", ids.name("zone", zone.zone)), JSONMember("kind", .string(zone.kind.rawValue)),
                JSONMember("database", .string(zone.database.rawValue)), JSONMember("own", .bool(zone.isOwn)),
                JSONMember("rights", .string(zone.rights.rawValue)), JSONMember("records", Self.count(zone.records)),
                JSONMember("internal_records", Self.count(zone.internalRecords)), JSONMember("peers", .array(peers)),
            ],
            naming: [JSONMember("name", .string(zone.name)), JSONMember("container", .string(zone.container))]
        )
    }

    private func json(_ entry: PendingWork.Entry, _ ids: inout Numbering) -> JSONValue {
        [
            "zone": ids.name("zone", entry.zone), "device": ids.name("device", entry.device),
            "state": .string(entry.state.rawValue), "reason": .string(entry.reason.rawValue),
            "count": Self.count(entry.count),
            "behind": Self.count(entry.behind), "missing": Self.count(entry.missing),
            "age_ms": entry.ageMilliseconds.map(Self.count) ?? .null,
        ]
    }

    private func json(_ relay: Relay, _ ids: inout Numbering) -> JSONValue {
        object(
            [
                JSONMember("relay", ids.name("relay", relay.relay)), JSONMember("state", .string(relay.state.rawValue)),
                JSONMember("own", .bool(relay.own)),
                JSONMember("stored_bytes", relay.storedBytes.map { .integer(Int64($0)) } ?? .null),
                JSONMember("quota_bytes", relay.quotaBytes.map { .integer(Int64($0)) } ?? .null),
                JSONMember("waiting", .integer(Int64(relay.waiting))),
            ],
            naming: [JSONMember("addresses", .array(relay.addresses.map { .string($0) }))]
        )
    }

    /// Numbers in the place of ids: the same one for the same id.
    private struct Numbering {
        let showsIDs: Bool
        private var numbers: [String: [String: Int]] = [:]

        init(showsIDs: Bool) { self.showsIDs = showsIDs }

        mutating func name(_ kind: String, _ id: String) -> JSONValue {
            if showsIDs { return .string(id) }
            let number = numbers[kind, default: [:]][id] ?? numbers[kind, default: [:]].count + 1
            numbers[kind, default: [:]][id] = number
            return .string("\(kind)-\(number)")
        }
    }
}
