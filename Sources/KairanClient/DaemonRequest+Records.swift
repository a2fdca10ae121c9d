extension DaemonRequest {
    /// All zones, or those of one database.
    package static func zones(in database: String?) -> DaemonRequest {
        DaemonRequest(.get, ["zones"], query: [("database", database)])
    }

    /// A new zone.
    package static func createZone(name: String, container: String, history: String) -> DaemonRequest {
        let body: JSONValue = ["name": .string(name), "container": .string(container), "history": .string(history)]
        return DaemonRequest(.post, ["zones"], body: body)
    }

    /// One zone.
    package static func zone(_ zone: String) -> DaemonRequest { DaemonRequest(.get, ["zones", zone]) }

    /// The deletion of a zone.
    package static func deleteZone(_ zone: String, reason: String?) -> DaemonRequest {
        DaemonRequest(.delete, ["zones", zone], query: [("reason", reason)])
    }

    /// A page of records.
    package static func records(
        zone: String,
        after name: String?,
        limit: Int,
        keys: [String]? = nil,
        showsInternal: Bool = false
    ) -> DaemonRequest {
        DaemonRequest(
            .get,
            ["zones", zone, "records"],
            query: [
                ("after", name), ("limit", "\(limit)"), ("desired_keys", keys?.joined(separator: ",")),
                Self.internalRecords(showsInternal),
            ]
        )
    }

    /// Several records by name.
    package static func fetch(_ names: [String], zone: String, keys: [String]?) -> DaemonRequest {
        var members = [JSONMember("names", .array(names.map { .string($0) }))]
        if let keys { members.append(JSONMember("desired_keys", .array(keys.map { .string($0) }))) }
        return DaemonRequest(.post, ["zones", zone, "fetch"], body: .object(members))
    }

    /// One record.
    package static func record(_ name: String, zone: String, keys: [String]? = nil) -> DaemonRequest {
        DaemonRequest(
            .get,
            ["zones", zone, "records", name],
            query: [("desired_keys", keys?.joined(separator: ","))]
        )
    }

    /// A write to one record; the name is in the path.
    package static func put(_ name: String, zone: String, body: JSONValue) -> DaemonRequest {
        let rest = (body.members ?? []).filter { $0.name != "name" }
        return DaemonRequest(.put, ["zones", zone, "records", name], body: .object(rest))
    }

    /// The deletion of a record.
    package static func delete(_ write: RecordWrite, zone: String) -> DaemonRequest {
        DaemonRequest(.delete, ["zones", zone, "records", write.name], query: [("if_version", write.ifVersion)])
    }

    /// Several writes.
    package static func batch(_ writes: [JSONValue], zone: String, isAtomic: Bool) -> DaemonRequest {
        DaemonRequest(
            .post,
            ["zones", zone, "batch"],
            body: ["atomic": .bool(isAtomic), "writes": .array(writes)]
        )
    }

    /// A page of changes.
    package static func changes(
        zone: String?,
        container: String? = nil,
        database: String? = nil,
        type: String? = nil,
        where condition: String? = nil,
        since token: String?,
        limit: Int,
        showsInternal: Bool = false
    ) -> DaemonRequest {
        DaemonRequest(
            .get,
            (zone.map { ["zones", $0] } ?? []) + ["changes"],
            query: [
                ("container", container), ("database", database), ("type", type), ("where", condition),
                ("since", token),
                ("limit", "\(limit)"),
                Self.internalRecords(showsInternal),
            ]
        )
    }

    /// The parameter that requests records that daemons write by themselves.
    static func internalRecords(_ shows: Bool) -> (name: String, value: String?) {
        ("internal", shows ? "true" : nil)
    }

    /// The reasons why zones are not synchronised.
    package static func pending(zone: String?) -> DaemonRequest {
        DaemonRequest(.get, zone.map { ["zones", $0, "pending"] } ?? ["pending"])
    }

    /// The writes in quarantine.
    package static func quarantine(zone: String?) -> DaemonRequest {
        DaemonRequest(.get, zone.map { ["zones", $0, "quarantine"] } ?? ["quarantine"])
    }

    /// The adoption of a quarantined write.
    package static func adopt(_ id: String, zone: String) -> DaemonRequest {
        DaemonRequest(.post, ["zones", zone, "quarantine", id, "adopt"])
    }

    /// The purge of a quarantined write.
    package static func purge(_ id: String, zone: String) -> DaemonRequest {
        DaemonRequest(.delete, ["zones", zone, "quarantine", id])
    }

    /// The end of a conflict.
    package static func resolve(_ name: String, zone: String, body: JSONValue) -> DaemonRequest {
        DaemonRequest(.post, ["zones", zone, "records", name, "resolve"], body: body)
    }
}
