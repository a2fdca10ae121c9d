import KairanClient
import Node
import Wire

extension ContainerStatus {
    var json: JSONValue {
        let zones = databases.flatMap(\.zones)
        return [
            "container": .string(container),
            "zones": .integer(Int64(zones.count)),
            "records": zones.sum(\.records),
            "bytes": zones.sum(\.bytes),
            "databases": .array(databases.map(\.json)),
            "used_bytes": usedByteCount.map { .integer(Int64(clamping: $0)) } ?? .null,
            "limit_bytes": byteCountMax.map { .integer(Int64(clamping: $0)) } ?? .null,
        ]
    }
}

extension DatabaseStatus {
    var json: JSONValue {
        [
            "database": .string(database.rawValue),
            "records": zones.sum(\.records),
            "bytes": zones.sum(\.bytes),
            "zones": .array(zones.map(\.json)),
        ]
    }
}

extension ZoneSummary {
    var json: JSONValue {
        [
            "zone": .string(zone.text),
            "name": .string(name),
            "kind": .string(kind.rawValue),
            "records": .integer(Int64(clamping: records)),
            "bytes": .integer(Int64(clamping: bytes)),
        ]
    }
}

extension AccountStanding {
    var json: JSONValue {
        json(state, reason: obstacle.map { ($0.code.rawValue, $0.message, $0.fix) })
    }

    /// The standing of a program that the configuration lets read only.
    func json(refusedWith refusal: RequestError) -> JSONValue {
        json(.restricted, reason: (refusal.code.rawValue, refusal.message, refusal.fix))
    }

    private func json(_ state: State, reason: (code: String, message: String, fix: String)?) -> JSONValue {
        [
            "account": .string(account.text),
            "status": .string(state.rawValue),
            "may_write": .bool(reason == nil),
            "reason": reason.map { reason in
                ["code": .string(reason.code), "message": .string(reason.message), "fix": .string(reason.fix)]
            } ?? .null,
            "recovering": .bool(isRecovering),
            "used_bytes": .integer(Int64(clamping: usedByteCount)),
            "limit_bytes": byteCountMax.map { .integer(Int64(clamping: $0)) } ?? .null,
        ]
    }
}

extension [ZoneSummary] {
    fileprivate func sum(_ member: (ZoneSummary) -> UInt64) -> JSONValue {
        .integer(Int64(clamping: reduce(UInt64(0)) { $0 &+ member($1) }))
    }
}
