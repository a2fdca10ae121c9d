@testable import LocalAPI

/// The access that each endpoint demands, written down a second time: an endpoint that is added, or whose access
/// changes, fails until it is entered here.
struct AccessRow: Sendable {
    let endpoint: String
    let needs: RequiredAccess
    /// The answer to a caller with access: a status, or a code that shows that the request got through to its own
    /// mistake.
    let allowed: String
    let body: String
    let query: String

    init(
        _ endpoint: String,
        _ needs: RequiredAccess,
        allowed: String = "200",
        body: String = "",
        query: String = ""
    ) {
        self.endpoint = endpoint
        self.needs = needs
        self.allowed = allowed
        self.body = body
        self.query = query
    }

    var method: String { String(endpoint.prefix { $0 != " " }) }
    var path: String { String(endpoint.drop { $0 != " " }.dropFirst()) }
    /// Whether the request is about one zone.
    var namesZone: Bool { path.contains("{zone}") }

    static let all: [AccessRow] = [
        AccessRow("GET /v1/status", .anyone),
        AccessRow("GET /v1/metrics", .admin),
        AccessRow("GET /v1/openapi.yaml", .application),
        AccessRow("GET /v1/peers", .admin),
        AccessRow("GET /v1/doctor", .admin),
        AccessRow("GET /v1/doctor/progress", .admin),
        AccessRow("PUT /v1/health/{code}/acknowledgement", .admin, allowed: "warning.unknown"),
        AccessRow("DELETE /v1/health/{code}/acknowledgement", .admin, allowed: "warning.unknown"),
        AccessRow("GET /v1/account", .admin),
        AccessRow("GET /v1/account/status", .read),
        AccessRow("GET /v1/containers", .read),
        AccessRow("GET /v1/containers/{container}", .read),
        AccessRow("GET /v1/account/recovery-key", .admin),
        AccessRow("POST /v1/account/recovery-key", .admin, allowed: "recovery.malformed", body: #"{"words":["x"]}"#),
        AccessRow("POST /v1/account/recover", .admin, allowed: "recovery.malformed", body: #"{"words":["x"]}"#),
        AccessRow("POST /v1/account/enrolment-tokens", .admin, allowed: "201", body: "{}"),
        AccessRow("DELETE /v1/account/enrolment-tokens", .admin, allowed: "204"),
        AccessRow("DELETE /v1/devices/{device}", .admin, allowed: "device.unknown"),
        AccessRow("GET /v1/accounts", .admin),
        AccessRow("PUT /v1/account/name", .admin, body: #"{"name":"Alice"}"#),
        AccessRow("PUT /v1/devices/{device}/name", .admin, allowed: "device.unknown", body: #"{"name":"lap"}"#),
        AccessRow(
            "PUT /v1/accounts/{account}/petname",
            .admin,
            allowed: "account.unknown",
            body: #"{"petname":"Bob"}"#
        ),
        AccessRow("DELETE /v1/accounts/{account}/petname", .admin, allowed: "account.unknown"),
        AccessRow(
            "POST /v1/devices/{device}/removal",
            .admin,
            allowed: "recovery.malformed",
            body: #"{"words":["x"]}"#
        ),
        AccessRow("POST /v1/pairing/offers", .admin, allowed: "201"),
        AccessRow("GET /v1/pairing/offers/{ticket}", .admin, allowed: "ticket.malformed"),
        AccessRow("POST /v1/pairing/accept", .admin, allowed: "ticket.malformed", body: #"{"ticket":"x"}"#),
        AccessRow("GET /v1/zones", .read),
        AccessRow(
            "POST /v1/zones",
            .write,
            allowed: "201",
            body: #"{"name":"made by {role}","container":"org.example.notes"}"#
        ),
        AccessRow("GET /v1/gone-zones", .read),
        AccessRow("GET /v1/zones/{zone}", .read),
        AccessRow("DELETE /v1/zones/{zone}", .write, allowed: "204"),
        AccessRow("GET /v1/zones/{zone}/shares", .read),
        AccessRow(
            "POST /v1/zones/{zone}/shares",
            .admin,
            allowed: "account.unknown",
            body: #"{"account":"x","rights":"read"}"#
        ),
        AccessRow("DELETE /v1/zones/{zone}/shares/{account}", .admin, allowed: "account.unknown"),
        AccessRow("POST /v1/zones/{zone}/shares/{account}/raise-cut", .admin, allowed: "account.unknown"),
        AccessRow("POST /v1/zones/{zone}/epochs", .admin, allowed: "201"),
        AccessRow("POST /v1/zones/{zone}/leave", .admin, allowed: "right.owner_leaves"),
        AccessRow("POST /v1/zones/{zone}/transfer", .admin, allowed: "account.unknown", body: #"{"account":"x"}"#),
        AccessRow("DELETE /v1/zones/{zone}/transfer", .admin, allowed: "transfer.unknown"),
        AccessRow("POST /v1/zones/{zone}/transfer/accept", .admin, allowed: "transfer.unknown"),
        AccessRow("POST /v1/zones/{zone}/transfer/decline", .admin, allowed: "transfer.unknown"),
        AccessRow("PUT /v1/zones/{zone}/public", .admin, body: #"{"world":["read"]}"#),
        AccessRow("POST /v1/zones/{zone}/invites", .admin, allowed: "201", body: #"{"rights":"read"}"#),
        AccessRow("DELETE /v1/zones/{zone}/invites/{invite}", .admin, allowed: "invite.unknown"),
        AccessRow("POST /v1/zones/{zone}/requests/{request}/approve", .admin, allowed: "join_request.unknown"),
        AccessRow("POST /v1/zones/{zone}/requests/{request}/deny", .admin, allowed: "join_request.unknown"),
        AccessRow("GET /v1/joins", .admin),
        AccessRow("POST /v1/joins", .admin, allowed: "invite.malformed", body: #"{"link":"x"}"#),
        AccessRow("DELETE /v1/joins/{invite}", .admin, allowed: "invite.unknown"),
        AccessRow("GET /v1/blocks", .admin),
        AccessRow("PUT /v1/blocks/{account}", .admin, allowed: "account.unknown"),
        AccessRow("DELETE /v1/blocks/{account}", .admin, allowed: "account.unknown"),
        AccessRow("GET /v1/relays", .admin),
        AccessRow("POST /v1/relays", .admin, allowed: "relay.bad_link", body: #"{"link":"x"}"#),
        AccessRow("DELETE /v1/relays/{relay}", .admin, allowed: "relay.unknown"),
        AccessRow("GET /v1/relay/admissions", .admin, allowed: "relay.off"),
        AccessRow("POST /v1/relay/admissions", .admin, allowed: "relay.off", body: #"{"name":"Ada"}"#),
        AccessRow("DELETE /v1/relay/admissions/{admission}", .admin, allowed: "relay.off"),
        AccessRow("GET /v1/containers/{container}/schema", .read),
        AccessRow("PUT /v1/containers/{container}/schema", .write, body: "{}"),
        AccessRow("POST /v1/containers/{container}/schema/check", .read),
        AccessRow("POST /v1/containers/{container}/schema/promote", .admin, allowed: "schema.unknown"),
        AccessRow("GET /v1/zones/{zone}/records", .read),
        AccessRow("POST /v1/zones/{zone}/fetch", .read, body: #"{"names":["{name}"]}"#),
        AccessRow("GET /v1/zones/{zone}/records/{name}", .read),
        AccessRow("PUT /v1/zones/{zone}/records/{name}", .write, body: #"{"fields":{"a":1}}"#),
        AccessRow("DELETE /v1/zones/{zone}/records/{name}", .write),
        AccessRow(
            "POST /v1/zones/{zone}/records/{name}/resolve",
            .write,
            allowed: "conflict.unknown",
            body: #"{"take":"x"}"#
        ),
        AccessRow("POST /v1/zones/{zone}/query", .read, body: #"{"type":"Record"}"#),
        AccessRow("GET /v1/containers/{container}/indexes", .read),
        AccessRow("PUT /v1/containers/{container}/indexes", .write, body: #"{"indexes":[]}"#),
        AccessRow("GET /v1/conflicts", .read),
        AccessRow("GET /v1/pending", .read),
        AccessRow("GET /v1/zones/{zone}/pending", .read),
        AccessRow("GET /v1/quarantine", .read),
        AccessRow("GET /v1/zones/{zone}/quarantine", .read),
        AccessRow("POST /v1/zones/{zone}/quarantine/{id}/adopt", .write, allowed: "quarantine.unknown"),
        AccessRow("DELETE /v1/zones/{zone}/quarantine/{id}", .admin, allowed: "quarantine.unknown"),
        AccessRow("POST /v1/zones/{zone}/batch", .write, body: #"{"writes":[{"name":"b"}]}"#),
        AccessRow(
            "POST /v1/zones/{zone}/messages",
            .write,
            allowed: "account.unknown",
            body: #"{"text":"a","to":["x"]}"#
        ),
        AccessRow(
            "POST /v1/zones/{zone}/messages/batch",
            .write,
            allowed: "account.unknown",
            body: #"{"messages":[{"text":"a","to":["x"]}]}"#
        ),
        AccessRow("GET /v1/zones/{zone}/messages", .read),
        AccessRow("POST /v1/zones/{zone}/payloads", .write, allowed: "201", body: "bytes"),
        AccessRow("GET /v1/zones/{zone}/assets", .read),
        AccessRow("POST /v1/zones/{zone}/assets", .write, allowed: "201", body: "bytes"),
        AccessRow("GET /v1/zones/{zone}/assets/policy", .read),
        AccessRow("PUT /v1/zones/{zone}/assets/policy", .write, body: #"{"policy":"always"}"#),
        AccessRow("DELETE /v1/zones/{zone}/assets/policy", .write),
        AccessRow("GET /v1/zones/{zone}/records/{name}/assets/{field}", .read, allowed: "asset.unknown"),
        AccessRow("GET /v1/zones/{zone}/records/{name}/assets/{field}/content", .read, allowed: "asset.unknown"),
        AccessRow("POST /v1/zones/{zone}/records/{name}/assets/{field}/fetch", .read, allowed: "asset.unknown"),
        AccessRow("POST /v1/zones/{zone}/records/{name}/assets/{field}/cancel", .write, allowed: "asset.unknown"),
        AccessRow("POST /v1/zones/{zone}/records/{name}/assets/{field}/evict", .write, allowed: "asset.unknown"),
        AccessRow(
            "POST /v1/zones/{zone}/assets/link",
            .admin,
            allowed: "link.path",
            body: #"{"file":"/srv/lake.jpg"}"#
        ),
        AccessRow(
            "POST /v1/zones/{zone}/records/{name}/assets/{field}/link",
            .admin,
            allowed: "asset.unknown",
            body: #"{"file":"/srv/lake.jpg"}"#
        ),
        AccessRow(
            "POST /v1/zones/{zone}/records/{name}/assets/{field}/unlink",
            .admin,
            allowed: "asset.unknown"
        ),
        AccessRow("GET /v1/links", .admin),
        AccessRow("GET /v1/assets/{asset}", .read, allowed: "asset.unknown"),
        AccessRow("POST /v1/assets/collect", .admin, body: #"{"dry_run":true}"#),
        AccessRow("GET /v1/messages/{message}", .read, allowed: "message.unknown"),
        AccessRow("GET /v1/messages/{message}/content", .read, allowed: "message.unknown"),
        AccessRow("POST /v1/messages/{message}/finish", .write, allowed: "message.unknown"),
        AccessRow("GET /v1/inbox", .read),
        AccessRow("POST /v1/inbox/finish", .write, body: #"{"messages":["x"]}"#),
        AccessRow("POST /v1/zones/{zone}/import", .write, body: #"{"name":"i"}"#),
        AccessRow("GET /v1/zones/{zone}/export", .read),
        AccessRow("GET /v1/changes", .read, query: "?limit=1000"),
        AccessRow("GET /v1/zones/{zone}/changes", .read),
        // A stream would not end; a token that is none shows as well that the request got through.
        AccessRow("GET /v1/events", .read, allowed: "token.expired", query: "?since=x"),
        AccessRow("GET /v1/zones/{zone}/events", .read, allowed: "token.expired", query: "?since=x"),
    ]
}
