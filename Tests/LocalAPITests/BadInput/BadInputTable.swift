@testable import LocalAPI

extension BadInputRow {
    /// Texts that are no name of an account or a device.
    private static let noNames = [
        "\"\"", "\"\(String(repeating: "n", count: 65))\"", "\" \"", "\"a\\u202eb\"", "\"a\\nb\"",
    ]
    private static let longName = "\"\(String(repeating: "ü", count: 128))\""
    private static let whole = ["-1", "9007199254740993", "1.5", "1e300"]
    private static let stale = String(repeating: "0", count: 32)
    private static let nineAddresses = (1...9).map { "\"a:\($0)\"" }.joined(separator: ",")

    static let all: [BadInputRow] =
        node + zones + sharing + joining + records + messages + assets + queries + schemas

    private static let node = [
        BadInputRow("GET /v1/status"),
        BadInputRow("GET /v1/metrics"),
        BadInputRow("GET /v1/openapi.yaml"),
        BadInputRow("GET /v1/peers"),
        BadInputRow("GET /v1/doctor"),
        BadInputRow("GET /v1/doctor/progress"),
        BadInputRow("PUT /v1/health/{code}/acknowledgement", unknown: ["code": "warning.unknown"]),
        BadInputRow("DELETE /v1/health/{code}/acknowledgement", unknown: ["code": "warning.unknown"]),
        BadInputRow("GET /v1/account"),
        BadInputRow("GET /v1/account/status"),
        BadInputRow("GET /v1/account/recovery-key"),
        BadInputRow("POST /v1/account/recovery-key", body: #"{"words":["x"]}"#),
        BadInputRow("POST /v1/account/recover", body: #"{"words":["x"],"account":"abcdefgh234567ab"}"#),
        BadInputRow(
            "POST /v1/account/enrolment-tokens",
            body: #"{"uses":1,"expires_s":60,"role":"full"}"#,
            outOfRange: [
                "uses": whole + ["0", "257"], "expires_s": whole + ["59", "2592001"], "role": ["\"king\"", "\"\""],
            ]
        ),
        BadInputRow("DELETE /v1/account/enrolment-tokens"),
        // Not the id of a device, and the id of none here.
        BadInputRow("DELETE /v1/devices/{device}", unknown: ["device": "invalid_argument"]),
        BadInputRow("GET /v1/accounts"),
        BadInputRow("PUT /v1/account/name", body: #"{"name":"Alice"}"#, outOfRange: ["name": noNames]),
        BadInputRow(
            "PUT /v1/devices/{device}/name",
            body: #"{"name":"lap"}"#,
            unknown: ["device": "invalid_argument"],
            outOfRange: ["name": noNames]
        ),
        BadInputRow(
            "PUT /v1/accounts/{account}/petname",
            body: #"{"petname":"Bob"}"#,
            unknown: ["account": "account.unknown"],
            outOfRange: ["petname": noNames]
        ),
        BadInputRow("DELETE /v1/accounts/{account}/petname", unknown: ["account": "account.unknown"]),
        BadInputRow(
            "POST /v1/devices/{device}/removal",
            body: #"{"words":["x"]}"#,
            unknown: ["device": "invalid_argument"]
        ),
        BadInputRow(
            "POST /v1/pairing/offers",
            body: #"{"role":"full"}"#,
            isBodyOptional: true,
            outOfRange: ["role": ["\"king\""]]
        ),
        BadInputRow("GET /v1/pairing/offers/{ticket}", unknown: ["ticket": "ticket.malformed"]),
        BadInputRow("POST /v1/pairing/accept", body: #"{"ticket":"x"}"#),
    ]

    private static let zones = [
        BadInputRow("GET /v1/containers"),
        BadInputRow("GET /v1/containers/{container}", unknown: ["container": "container.unknown"]),
        BadInputRow("GET /v1/gone-zones"),
        BadInputRow("GET /v1/zones"),
        BadInputRow(
            "POST /v1/zones",
            body: #"{"name":"new","container":"org.example.notes","history":"full"}"#,
            outOfRange: [
                "name": ["\"\"", longName], "container": ["\"\"", longName], "history": ["\"some\""],
            ]
        ),
        BadInputRow("GET /v1/zones/{zone}"),
        BadInputRow("DELETE /v1/zones/{zone}"),
    ]

    private static let sharing = [
        BadInputRow("GET /v1/zones/{zone}/shares"),
        BadInputRow(
            "POST /v1/zones/{zone}/shares",
            body: #"{"account":"x","rights":"read","depth":0,"types":["Note"],"prefix":"a","expires_s":60}"#,
            outOfRange: [
                "rights": ["\"owner\"", "\"relay\""], "depth": whole + ["8"], "types": ["[1]", "[null]", "[[]]"],
                "expires_s": whole + ["59"],
            ]
        ),
        BadInputRow("DELETE /v1/zones/{zone}/shares/{account}", unknown: ["account": "account.unknown"]),
        BadInputRow("POST /v1/zones/{zone}/shares/{account}/raise-cut", unknown: ["account": "account.unknown"]),
        BadInputRow("POST /v1/zones/{zone}/epochs"),
        BadInputRow("POST /v1/zones/{zone}/leave"),
        BadInputRow(
            "POST /v1/zones/{zone}/transfer",
            body: #"{"account":"x","keep":"read"}"#,
            outOfRange: ["keep": ["\"all\""]]
        ),
        BadInputRow("DELETE /v1/zones/{zone}/transfer"),
        BadInputRow("POST /v1/zones/{zone}/transfer/accept"),
        BadInputRow("POST /v1/zones/{zone}/transfer/decline"),
        BadInputRow(
            "PUT /v1/zones/{zone}/public",
            body: #"{"world":["read"],"authenticated":["create"],"creator":["write"]}"#,
            outOfRange: ["world": ["[\"fly\"]", "[1]", "[\"read\",\"read\"]"]]
        ),
        BadInputRow(
            "POST /v1/zones/{zone}/invites",
            body: """
                {"rights":"read","depth":0,"types":["Note"],"prefix":"a","uses":1,"expires_s":60,"approval":true,\
                "addresses":["a:1"],"countersigner":"device"}
                """,
            outOfRange: [
                "rights": ["\"owner\""], "depth": whole + ["8"], "uses": whole + ["0"], "expires_s": whole + ["59"],
                "addresses": ["[\"no port\"]", "[\"a:0\"]", "[\"a:65536\"]", "[1]"], "countersigner": ["\"me\""],
            ]
        ),
        BadInputRow("DELETE /v1/zones/{zone}/invites/{invite}", unknown: ["invite": "invite.unknown"]),
        BadInputRow(
            "POST /v1/zones/{zone}/requests/{request}/approve",
            unknown: ["request": "join_request.unknown"]
        ),
        BadInputRow("POST /v1/zones/{zone}/requests/{request}/deny", unknown: ["request": "join_request.unknown"]),
    ]

    private static let queries = [
        BadInputRow(
            "POST /v1/zones/{zone}/query",
            body: #"{"type":"Note","where":"a = 1","sort":["a"],"limit":1,"desired_keys":["a"]}"#,
            outOfRange: [
                "type": ["\"\"", longName],
                "sort": ["[1]", "[\"\"]", "[null]", #"["-"]"#, #"["@x"]"#, "[\(longName)]", #"["a","b","c","d","e"]"#],
                "limit": whole + ["0", "1001"],
                "desired_keys": ["[1]"], "cursor": ["null", "1", "[]"],
            ],
            predicates: [
                "", " ", "a", "a =", "= 1", "a = = 1", "(a = 1", "a = 1)", "a ~ 1", "a = 1 and", "or a = 1", "not",
                "a in",
                "a in (1", "a = \"", "a = 1 2", "a = 1;", "a = 1 -- x", "\u{0}", "a = \u{1F980}", "a = 1e999",
                String(repeating: "(", count: 20_000), String(repeating: "not ", count: 10_000),
                String(repeating: "a = 1 and ", count: 5_000),
            ]
        ),
        BadInputRow("GET /v1/containers/{container}/indexes"),
        BadInputRow(
            "PUT /v1/containers/{container}/indexes",
            body: #"{"indexes":[{"type":"Note","field":"due"}]}"#,
            outOfRange: [
                "indexes": [
                    "[1]", "[{}]", #"[{"type":"Note"}]"#, #"[{"field":"due"}]"#, #"[{"type":"","field":"a"}]"#,
                    #"[{"type":1,"field":"a"}]"#, #"[{"type":"a","field":"@x"}]"#, #"[{"type":"a","field":""}]"#,
                    #"[{"type":"a","field":"a","kind":"fast"}]"#, #"[{"type":"a","field":"a","nope":1}]"#,
                ]
            ]
        ),
    ]

    private static let schemas = [
        BadInputRow("GET /v1/containers/{container}/schema"),
        BadInputRow(
            "PUT /v1/containers/{container}/schema",
            body: schema,
            spoilt: badSchemas,
            limit: RequestBodyLimit.record
        ),
        BadInputRow(
            "POST /v1/containers/{container}/schema/check",
            body: schema,
            isBodyOptional: true,
            spoilt: badSchemas,
            limit: RequestBodyLimit.record
        ),
        BadInputRow("POST /v1/containers/{container}/schema/promote"),
    ]

    private static let schema = #"{"types":{"Note":{"fields":{"due":{"kind":"date"}}}}}"#
    private static let badSchemas: [String] =
        [
            #"{"kind":"dates"}"#, #"{"kind":"date","required":1}"#, #"{"kind":null}"#, "{}", "[]", "1",
            #"{"kind":"string","length_minimum":-1}"#, #"{"kind":"string","values":[]}"#, #"{"kind":"date","nope":1}"#,
            #"{"kind":"int64","minimum":"a"}"#, #"{"kind":"date","indexes":["fast"]}"#,
        ].map { #"{"types":{"Note":{"fields":{"due":\#($0)}}}}"# }
        + [#"{"types":{"":{"fields":{}}}}"#, #"{"types":{"Note":{"nope":1}}}"#, #"{"types":{"Note":[]}}"#]

    private static let joining = [
        BadInputRow("GET /v1/joins"),
        BadInputRow("POST /v1/joins", body: #"{"link":"x"}"#),
        BadInputRow("DELETE /v1/joins/{invite}", unknown: ["invite": "invite.unknown"]),
        BadInputRow("GET /v1/blocks"),
        BadInputRow("PUT /v1/blocks/{account}", unknown: ["account": "account.unknown"]),
        BadInputRow("DELETE /v1/blocks/{account}", unknown: ["account": "account.unknown"]),
        BadInputRow("GET /v1/relays"),
        BadInputRow("POST /v1/relays", body: #"{"link":"x"}"#),
        BadInputRow("DELETE /v1/relays/{relay}", unknown: ["relay": "relay.unknown"]),
        BadInputRow("GET /v1/relay/admissions"),
        BadInputRow(
            "POST /v1/relay/admissions",
            body: #"{"name":"Ada","quota_bytes":1048576,"addresses":["a:1"]}"#,
            outOfRange: [
                "name": ["\"\"", longName], "quota_bytes": whole + ["0", "1048575"],
                "addresses": ["[\"no port\"]", "[\"a:0\"]", "[\"a:65536\"]", "[1]", "[\(nineAddresses)]"],
            ]
        ),
        // The node of the tests keeps nothing for others.
        BadInputRow("DELETE /v1/relay/admissions/{admission}", unknown: ["admission": "relay.off"]),
    ]

    private static let messages = [
        BadInputRow("GET /v1/zones/{zone}/messages"),
        BadInputRow(
            "POST /v1/zones/{zone}/messages",
            body: #"{"text":"a","content_type":"text/plain","to":["x"],"reply_to":"x","expires_in_ms":1000}"#,
            outOfRange: [
                "to": ["[1]", "[null]"], "expires_in_ms": whole + ["0", "315360000001"],
                "data": ["\"YQ==\"", "\"?\""], "payload": ["\"x\"", "1"], "edits": ["\"y\"", "1"],
                "reacts_to": ["\"y\"", "null"],
            ],
            spoilt: [
                "{}", #"{"to":["x"]}"#, #"{"data":"YQ"}"#, #"{"data":"a b"}"#, #"{"data":["YQ=="]}"#,
                #"{"text":"a","data":""}"#, #"{"data":"","payload":"x"}"#, #"{"payload":["x"]}"#,
                #"{"text":"a","edits":"x","reacts_to":"x"}"#,
            ],
            limit: RequestBodyLimit.message
        ),
        BadInputRow(
            "POST /v1/zones/{zone}/messages/batch",
            body: #"{"messages":[{"text":"a"},{"text":"b","to":["x"]}]}"#,
            outOfRange: ["messages": ["[]", "{}", "[1]", "[null]"]],
            spoilt: ["{}", #"{"messages":[{}]}"#, #"{"messages":[{"text":"a","data":""}]}"#],
            limit: RequestBodyLimit.batch
        ),
        // Any bytes are a body of it.
        BadInputRow("POST /v1/zones/{zone}/payloads"),
        BadInputRow("GET /v1/messages/{message}", unknown: ["message": "message.unknown"]),
        BadInputRow("GET /v1/messages/{message}/content", unknown: ["message": "message.unknown"]),
        BadInputRow("POST /v1/messages/{message}/finish", unknown: ["message": "message.unknown"]),
        BadInputRow("GET /v1/inbox"),
        BadInputRow(
            "POST /v1/inbox/finish",
            body: #"{"messages":["x"]}"#,
            outOfRange: ["messages": ["[]", "{}", "[1]", "[null]"], "through": ["7"], "zone": ["\"notes\""]],
            spoilt: [
                "{}", #"{"through":-1}"#, #"{"through":1.5}"#, #"{"through":"7"}"#, #"{"through":null}"#,
                #"{"through":7,"zone":1}"#, #"{"through":7,"messages":["x"]}"#, #"{"zone":"notes"}"#,
            ]
        ),
    ]

    private static let assets = [
        BadInputRow("GET /v1/zones/{zone}/assets"),
        // Any bytes are a body of it.
        BadInputRow("POST /v1/zones/{zone}/assets"),
        BadInputRow("GET /v1/zones/{zone}/assets/policy"),
        BadInputRow(
            "PUT /v1/zones/{zone}/assets/policy",
            body: #"{"policy":"up_to","up_to":5}"#,
            outOfRange: ["policy": ["\"sometimes\"", "\"always\"", "\"\""], "up_to": whole],
            spoilt: ["{}", #"{"policy":"up_to"}"#, #"{"up_to":5}"#]
        ),
        BadInputRow("DELETE /v1/zones/{zone}/assets/policy"),
        BadInputRow("GET /v1/zones/{zone}/records/{name}/assets/{field}", unknown: placed),
        BadInputRow("GET /v1/zones/{zone}/records/{name}/assets/{field}/content", unknown: placed),
        BadInputRow("POST /v1/zones/{zone}/records/{name}/assets/{field}/fetch", unknown: placed),
        BadInputRow("POST /v1/zones/{zone}/records/{name}/assets/{field}/cancel", unknown: placed),
        BadInputRow(
            "POST /v1/zones/{zone}/records/{name}/assets/{field}/evict",
            body: #"{"copies":1,"others":false}"#,
            isBodyOptional: true,
            unknown: placed,
            outOfRange: ["copies": ["0", "65", "-1", "1.5"]]
        ),
        BadInputRow(
            "POST /v1/zones/{zone}/assets/link",
            body: #"{"file":"/srv/lake.jpg"}"#,
            outOfRange: ["file": ["\"lake.jpg\"", "\"\""]],
            spoilt: ["{}", #"{"root":"/srv"}"#, #"{"file":"/srv/lake.jpg","root":"/srv"}"#]
        ),
        BadInputRow(
            "POST /v1/zones/{zone}/records/{name}/assets/{field}/link",
            body: #"{"file":"/srv/lake.jpg"}"#,
            unknown: placed,
            outOfRange: ["file": ["\"lake.jpg\"", "\"\""]],
            spoilt: ["{}", #"{"root":"/srv"}"#]
        ),
        BadInputRow(
            "POST /v1/zones/{zone}/records/{name}/assets/{field}/unlink",
            body: #"{"file":"/srv/lake.jpg"}"#,
            isBodyOptional: true,
            unknown: placed,
            outOfRange: ["file": ["\"lake.jpg\"", "\"\""]],
            spoilt: [#"{"root":"/srv"}"#]
        ),
        BadInputRow("GET /v1/links"),
        BadInputRow("GET /v1/assets/{asset}", unknown: ["asset": "asset.unknown"]),
        BadInputRow("POST /v1/assets/collect", body: #"{"dry_run":true}"#),
    ]
    private static let placed = ["name": "record.unknown", "field": "asset.unknown"]

    private static let records = [
        BadInputRow("GET /v1/zones/{zone}/records"),
        BadInputRow("GET /v1/zones/{zone}/records/{name}", unknown: ["name": "record.unknown"]),
        BadInputRow(
            "PUT /v1/zones/{zone}/records/{name}",
            body:
                #"{"type":"Note","fields":{"a":1},"remove":["b"],"increment":{"c":1},"add_to":{"d":[1]},"replace":false}"#,
            outOfRange: [
                "increment": [#"{"c":1.5}"#, #"{"":1}"#, #"{"c":9223372036854775808.5}"#],
                "add_to": [#"{"d":1}"#, #"{"d":[[1]]}"#, #"{"d":[1,1]}"#],
                "fields": [
                    #"{"a":{"$what":1}}"#, #"{"a":{"b":1}}"#, #"{"":1}"#, #"{"a":{"$asset":{}}}"#,
                    #"{"a":{"$asset":{"asset":"x"}}}"#,
                ], "remove": ["[1]", "[null]"],
                "type": ["\"\"", longName], "if_version": ["\"x\""],
            ],
            stale: #"{"if_version":"\#(stale)"}"#,
            limit: RequestBodyLimit.record
        ),
        BadInputRow(
            "POST /v1/zones/{zone}/fetch",
            body: #"{"names":["n1"],"desired_keys":["a"]}"#,
            outOfRange: ["names": ["[]", "[1]", "[null]"], "desired_keys": ["[1]", "[null]"]],
            limit: RequestBodyLimit.fetch
        ),
        BadInputRow("DELETE /v1/zones/{zone}/records/{name}", unknown: ["name": "record.unknown"]),
        BadInputRow(
            "POST /v1/zones/{zone}/records/{name}/resolve",
            body: #"{"take":"\#(stale)"}"#,
            unknown: ["name": "record.unknown"],
            limit: RequestBodyLimit.record
        ),
        BadInputRow("GET /v1/conflicts"),
        BadInputRow("GET /v1/pending"),
        BadInputRow("GET /v1/zones/{zone}/pending"),
        BadInputRow("GET /v1/quarantine"),
        BadInputRow("GET /v1/zones/{zone}/quarantine"),
        BadInputRow("POST /v1/zones/{zone}/quarantine/{id}/adopt", unknown: ["id": "quarantine.unknown"]),
        BadInputRow("DELETE /v1/zones/{zone}/quarantine/{id}", unknown: ["id": "quarantine.unknown"]),
        BadInputRow(
            "POST /v1/zones/{zone}/batch",
            body: #"{"atomic":true,"writes":[{"name":"b"}]}"#,
            outOfRange: [
                "writes": [
                    "[]", "[1]", "[{}]", #"[{"name":"b","nme":1}]"#, #"[{"name":""}]"#, "[{\"name\":\(longName)}]",
                ]
            ],
            stale: #"{"writes":[{"name":"b"},{"name":"n1","if_version":"\#(stale)"}]}"#,
            limit: RequestBodyLimit.batch
        ),
        // Its lines are looked at one by one, see below.
        BadInputRow("POST /v1/zones/{zone}/import"),
        BadInputRow("GET /v1/zones/{zone}/export"),
        BadInputRow("GET /v1/changes"),
        BadInputRow("GET /v1/zones/{zone}/changes"),
        BadInputRow("GET /v1/events"),
        BadInputRow("GET /v1/zones/{zone}/events"),
    ]
}
