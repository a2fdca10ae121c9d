import KairanClient
import Node
import Wire

extension NodeStatus {
    var json: JSONValue {
        [
            "version": .string(version),
            "device": .string(device.text),
            "account": .string(account.text),
            "incarnation": .string(incarnation.text),
            "state": .string(state.rawValue),
            "peers": .integer(Int64(peers)),
            "zones": .integer(Int64(zones)),
            "pending": .integer(Int64(clamping: pending)),
            "listening_port": listeningPort.map { .integer(Int64($0)) } ?? .null,
            "health": .array(health.map(\.json)),
        ]
    }

    /// The part of the status that callers other than administrators may see.
    var bareJSON: JSONValue {
        ["version": .string(version), "state": .string(state.rawValue)]
    }
}

extension HealthWarning {
    var json: JSONValue {
        [
            "code": .string(code), "severity": .string(severity.rawValue), "message": .string(message),
            "fix": .string(fix), "acknowledged": .bool(isAcknowledged),
        ]
    }
}

extension CheckOutcome {
    var json: JSONValue {
        [
            "code": .string(code), "ok": .bool(isGood), "severity": .string(severity.rawValue),
            "message": .string(message), "fix": .string(fix), "statements": .array(statements.map(\.json)),
        ]
    }
}

extension DeviceStatement {
    var json: JSONValue {
        let outcome =
            switch outcome {
            case .reached: "reached"
            case .refused: "refused"
            case .silent: "silent"
            case .notTried: "not_tried"
            }
        return [
            "device": .string(device.text), "name": .string(name), "own_account": .bool(isOwn),
            "outcome": .string(outcome), "age_ms": .integer(Int64(clamping: ageMilliseconds)),
        ]
    }
}

extension PeerStatus {
    var json: JSONValue {
        [
            "device": .string(device.text),
            "account": .string(account.text),
            "name": .string(name),
            "state": .string(state.rawValue),
            "address": JSONValue(address),
            "via": JSONValue(via?.rawValue),
            "trouble": trouble?.json ?? .null,
            "silence_ms": silenceMilliseconds.map { .integer(Int64(clamping: $0)) } ?? .null,
            "rtt_ms": roundTripMilliseconds.map(\.plainJSON) ?? .null,
            "skew_ms": skewMilliseconds.map(JSONValue.integer) ?? .null,
            "role": .string(role.interfaceText),
            "channel_version": channelVersion.map { .integer(Int64($0.rawValue)) } ?? .null,
            "channel_pinned": pinnedVersion.map { .integer(Int64($0.rawValue)) } ?? .null,
            "post_quantum": channelVersion.map { .bool($0.isPostQuantum) } ?? .null,
            "version": program.map { .string($0.version) } ?? .null,
            "revision": program.map { .integer(Int64($0.revision)) } ?? .null,
        ]
    }
}

extension PeerTrouble {
    var json: JSONValue {
        ["error": .string(error), "since": JSONValue(milliseconds: sinceMilliseconds), "fix": .string(fix)]
    }
}

extension DeviceRole {
    var interfaceText: String {
        switch self {
        case .full: "full"
        case .relayOnly: "relay_only"
        case .readOnly: "read_only"
        }
    }
}

extension DeviceStatus {
    var json: JSONValue {
        [
            "device": .string(device.text),
            "name": .string(name),
            "role": .string(role.interfaceText),
            "added_at": JSONValue(milliseconds: addedMilliseconds),
            "last_seen": lastSeenMilliseconds.map(JSONValue.init(milliseconds:)) ?? .null,
            "this": .bool(isThis),
        ]
    }
}

extension AccountStatus {
    var json: JSONValue {
        [
            "account": .string(account.text), "devices": .array(devices.map(\.json)),
            "removed": .array(removed.map { ["device": .string($0.device.text), "name": .string($0.name)] }),
        ]
    }
}

extension PairingOfferStatus {
    var json: JSONValue {
        [
            "ticket": .string(ticket),
            "expires_at": JSONValue(milliseconds: expiresMilliseconds),
        ]
    }
}

extension EnrolmentTokenStatus {
    var json: JSONValue {
        [
            "token": .string(token), "uses": .integer(Int64(uses)),
            "expires_at": JSONValue(milliseconds: expiresMilliseconds), "role": .string(role.interfaceText),
        ]
    }
}

extension PairingOutcome {
    var json: JSONValue {
        [
            "account": .string(account.text), "device": .string(device.text), "name": .string(name),
            "words": .array(words.map { .string($0) }),
        ]
    }
}

extension ZonePeerStatus {
    var json: JSONValue {
        [
            "device": .string(device.text), "account": .string(account.text), "in_sync": .bool(inSync),
            "behind": .integer(Int64(clamping: behind)),
        ]
    }
}

extension ZoneStatus {
    var json: JSONValue {
        [
            "zone": .string(zone.text),
            "name": .string(name),
            "container": .string(container),
            "kind": .string(kind.rawValue),
            "pair_with": JSONValue(pairedWith?.text),
            "database": .string(database.rawValue),
            "owner": .string(owner.text),
            "own": .bool(isOwn),
            "rights": .string(rights?.name ?? "none"),
            "public": publicAccess.json,
            "records": .integer(Int64(clamping: records)),
            "internal_records": .integer(Int64(clamping: internalRecords)),
            "epoch": JSONValue(epoch),
            "digest": .string(digest),
            "peers": .array(peers.map(\.json)),
        ]
    }
}

extension SyncEvent {
    var members: [JSONMember] {
        let ended = durationMilliseconds.map { startedMilliseconds + $0 }
        return [
            JSONMember("id", .integer(Int64(clamping: number))),
            JSONMember("kind", .string(kind.rawValue)),
            JSONMember("zone", JSONValue(zone?.text)),
            JSONMember("peer", .string(peer.text)),
            JSONMember("account", .string(account.text)),
            JSONMember("count", .integer(Int64(clamping: count))),
            JSONMember("started_at", JSONValue(milliseconds: startedMilliseconds)),
            JSONMember("ended_at", ended.map(JSONValue.init(milliseconds:)) ?? .null),
            JSONMember("duration_ms", durationMilliseconds.map { .integer(Int64(clamping: $0)) } ?? .null),
            JSONMember("succeeded", .bool(succeeded)),
            JSONMember("error", JSONValue(error)),
        ]
    }
}

extension AnomalyEvent {
    var members: [JSONMember] {
        [
            JSONMember("kind", .string(kind.rawValue)),
            JSONMember("count", .integer(Int64(clamping: count))),
            JSONMember("author", JSONValue(author?.text)),
            JSONMember("author_name", JSONValue(authorName)),
            JSONMember("peer", JSONValue(peer?.text)),
            JSONMember("peer_name", JSONValue(peerName)),
            JSONMember("account", JSONValue(account?.text)),
            JSONMember("zone", JSONValue(zone?.text)),
        ]
    }
}

extension JSONValue {
    /// A point in time.
    init(milliseconds: UInt64) {
        self = .string(RFC3339.text(milliseconds: Int64(clamping: milliseconds)))
    }
}
