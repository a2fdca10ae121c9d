import FoundationEssentials
import Glibc
import HTTPTypes
import KairanClient
import Node
import Synchronization
import TestSupport
import Testing
import Wire

@testable import LocalAPI

/// The access to every endpoint, tried by processes of real users on a real socket in front of a real node.
@Suite(.serialized) struct `Every endpoint asked by every role` {
    /// A caller: the program runs as this user and group.
    private struct Asker {
        var name: String
        var user: UInt32
        var group: UInt32

        static let root = Asker(name: "root", user: 0, group: 0)
        /// Bound to the container of the zone that is asked for.
        static let notes = Asker(name: "notes", user: 20_001, group: 20_001)
        /// Bound to the same, to read.
        static let reader = Asker(name: "reader", user: 20_003, group: 20_003)
        /// Bound to another container, by its group.
        static let mail = Asker(name: "mail", user: 20_002, group: 20_012)
        /// Bound to nothing.
        static let stranger = Asker(name: "stranger", user: 20_004, group: 20_004)
        static let all = [root, notes, reader, mail, stranger]
    }

    private struct Answer: Equatable {
        var status: Int
        var text: String

        var code: String? {
            // Answers that are no JSON have no code.
            (try? JSONParser.parse(Array(text.utf8)))?["code"]?.text
        }
        /// The outcome that the table compares: the problem's code, or the status where there is no problem.
        var outcome: String { code ?? "\(status)" }
    }

    private static func policy(showsStatus: Bool) -> AccessPolicy {
        AccessPolicy(
            admins: AdminPolicy(users: [0]),
            applications: [
                ApplicationBinding(name: "notes", subject: .user(20_001), containers: ["org.example.notes"]),
                ApplicationBinding(
                    name: "reader",
                    subject: .user(20_003),
                    containers: ["org.example.notes"],
                    isReadOnly: true
                ),
                ApplicationBinding(name: "mail", subject: .group(20_012), containers: ["org.example.mail"]),
            ],
            showsStatusToOthers: showsStatus
        )
    }

    /// A text that is in a record of the notes and nowhere else.
    private static let marker = "seen-by-the-wrong-one"

    private static func expected(_ row: AccessRow, _ asker: Asker, showsStatus: Bool) -> String {
        switch (asker.name, row.needs) {
        case ("root", _): row.allowed
        case ("stranger", .anyone) where showsStatus: row.allowed
        case ("stranger", _): "forbidden"
        case (_, .admin): "access.admin_only"
        case ("reader", .write): "access.read_only"
        case ("mail", .read) where row.namesZone, ("mail", .write) where row.namesZone: "zone.unknown"
        case ("mail", .read) where row.path.contains("{container}"): "access.container"
        // A message is named without its zone: a message of another zone is not there.
        case ("mail", .write) where row.path.contains("{message}") || row.path == "/v1/inbox/finish": row.allowed
        case ("mail", .write): "access.container"
        default: row.allowed
        }
    }

    private static func ask(
        _ socket: String,
        as asker: Asker,
        _ method: String,
        _ path: String,
        body: String = "",
        headers: [String] = []
    ) async throws -> Answer {
        let identity =
            asker.user == 0
            ? [] : ["setpriv", "--reuid=\(asker.user)", "--regid=\(asker.group)", "--clear-groups"]
        let request = ["curl", "-s", "-m", "20", "--unix-socket", socket, "-X", method, "-w", "\n%{http_code}"]
        let content = (body.isEmpty ? [] : ["--data-binary", body]) + headers.flatMap { ["-H", $0] }
        let result = try await Subprocess.run(identity + request + content + ["http://localhost" + path])
        let end = result.output.lastIndex(of: "\n") ?? result.output.startIndex
        return Answer(
            status: Int(result.output[end...].dropFirst()) ?? 0,
            text: String(result.output[..<end])
        )
    }

    private static let missing = "only root can become other users to try the socket"

    /// Runs a node and a server that other users can reach.
    private static func withServer(
        _ policy: AccessPolicy,
        _ body: @escaping @Sendable (Node, String) async throws -> Void
    ) async throws {
        try await LiveServer.withDirectory { directory in
            #expect(chmod(directory, 0o755) == 0)
            _ = try await LiveNode.run(in: directory) { node in
                // A machine that is fast enough would ask more than a stranger may within a second.
                let time = Mutex<UInt64>(0)
                let limiter = RequestLimiter {
                    time.withLock { now in
                        now += 1_000_000_000
                        return now
                    }
                }
                return try await LiveServer.run(node: node, policy: policy, limiter: limiter, in: directory) {
                    path,
                    _ in
                    try await body(node, path)
                    return true
                }
            }
        }
    }

    @Test func `the table names every endpoint with its route's required role`() {
        let declared = LocalRouter.routes.map { "\($0.method.rawValue) \($0.path): \($0.needs)" }.sorted()
        #expect(declared == AccessRow.all.map { "\($0.endpoint): \($0.needs)" }.sorted())
    }

    @Test(.timeLimit(.minutes(5)), arguments: [false, true])
    func `is answered or refused as the table says`(showsStatus: Bool) async throws {
        guard geteuid() == 0 else { return try cannotRun(Self.missing) }
        try await Self.withServer(Self.policy(showsStatus: showsStatus)) { node, socket in
            var number = 0
            for asker in Asker.all {
                for row in AccessRow.all {
                    number += 1
                    // A zone for each request: some of them delete it.
                    let zone = try await node.zones.createZone(
                        name: "zone \(number)",
                        container: "org.example.notes",
                        history: .full
                    )
                    let write = RecordDraft(name: "n1", fields: [("text", .string(Self.marker))])
                    _ = try await node.records.write([write], zone: zone.zone.text, atomic: true)
                    let path = row.path.replacing("{zone}", with: zone.zone.text).replacing("{name}", with: "n1")
                        .replacing("{device}", with: FakeNode.other.text).replacing("{ticket}", with: "none")
                        .replacing("{account}", with: "none").replacing("{invite}", with: "none")
                        .replacing("{request}", with: "none").replacing("{message}", with: "none")
                        .replacing("{relay}", with: "none").replacing("{admission}", with: "none")
                        .replacing("{field}", with: "none").replacing("{asset}", with: "none")
                        // A promoted schema stays in force for the requests that follow.
                        .replacing("{container}/schema/promote", with: "org.example.none/schema/promote")
                        .replacing("{container}", with: "org.example.notes")
                    let answer = try await Self.ask(
                        socket,
                        as: asker,
                        row.method,
                        path + row.query,
                        body: row.body.replacing("{role}", with: asker.name)
                    )
                    let wanted = Self.expected(row, asker, showsStatus: showsStatus)
                    #expect(answer.outcome == wanted, "\(asker.name): \(row.endpoint): \(answer)")
                    if ["mail", "stranger"].contains(asker.name) {
                        let shows = [Self.marker, zone.name].contains { answer.text.contains($0) }
                        #expect(!shows, "\(asker.name): \(row.endpoint): \(answer)")
                    }
                    if asker.name != "root", row.endpoint == "GET /v1/status", wanted == "200" {
                        #expect(answer.text == #"{"version":"\#(Node.version)","state":"ready"}"#)
                    }
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `shows each application its own zones, and no trace of the other's`()
        async throws
    {
        guard geteuid() == 0 else { return try cannotRun(Self.missing) }
        try await Self.withServer(Self.policy(showsStatus: false)) { node, socket in
            let notes = try await node.zones.createZone(
                name: "shared name",
                container: "org.example.notes",
                history: .full
            )
            let mail = try await node.zones.createZone(
                name: "shared name",
                container: "org.example.mail",
                history: .full
            )
            for zone in [notes, mail] {
                let write = RecordDraft(name: "r", fields: [("in", .string("<\(zone.container)>"))])
                _ = try await node.records.write([write], zone: zone.zone.text, atomic: true)
            }
            for (asker, own, foreign) in [(Asker.notes, notes, mail), (.mail, mail, notes)] {
                for path in ["/v1/zones", "/v1/changes", "/v1/zones/shared%20name/records/r"] {
                    let answer = try await Self.ask(socket, as: asker, "GET", path)
                    #expect(answer.status == 200 && answer.text.contains(own.zone.text), "\(path): \(answer)")
                    let shows = [foreign.zone.text, "<\(foreign.container)>"].contains { answer.text.contains($0) }
                    #expect(!shows, "\(path): \(answer)")
                }
                // A zone of another container is answered like one that does not exist, word for word but for its
                // name.
                let missing = ZoneID(Digest32(Array(repeating: 9, count: 32)) ?? .zero).text
                for (method, rest, body) in [
                    ("GET", "", ""), ("GET", "/records/r", ""), ("GET", "/export", ""), ("GET", "/events", ""),
                    ("GET", "/assets", ""), ("GET", "/records/r/assets/in", ""), ("POST", "/assets", "bytes"),
                    ("PUT", "/records/r", "{}"), ("POST", "/import", "{\"name\":\"r\"}"), ("DELETE", "", ""),
                ] {
                    var answers: [Answer] = []
                    for id in [foreign.zone.text, missing] {
                        var answer = try await Self.ask(socket, as: asker, method, "/v1/zones/\(id)\(rest)", body: body)
                        answer.text = answer.text.replacing(id, with: "ID")
                        answers.append(answer)
                    }
                    #expect(answers[0] == answers[1] && answers[0].code == "zone.unknown", "\(method) \(rest)")
                }
            }
            // For a caller that sees both, the name is ambiguous.
            let root = try await Self.ask(socket, as: .root, "GET", "/v1/zones/shared%20name")
            #expect(root.code == "zone.ambiguous")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `asks for a token where one is demanded, and keeps to the space that is given`()
        async throws
    {
        guard geteuid() == 0 else { return try cannotRun(Self.missing) }
        let token = String(repeating: "t", count: 52)
        let policy = AccessPolicy(
            admins: AdminPolicy(users: [0]),
            applications: [
                ApplicationBinding(
                    name: "notes",
                    subject: .user(20_001),
                    containers: ["org.example.notes"],
                    token: ApplicationToken(token),
                    storageByteCountMax: 3_000
                )
            ]
        )
        try await Self.withServer(policy) { node, socket in
            _ = try await node.zones.createZone(name: "n", container: "org.example.notes", history: .full)
            let right = ["Authorization: Bearer \(token)"]
            let put = "/v1/zones/n/records/r"
            let missing = try await Self.ask(socket, as: .notes, "GET", "/v1/zones")
            #expect(missing.status == 401 && missing.code == "access.token_required")
            let wrong = try await Self.ask(socket, as: .notes, "GET", "/v1/zones", headers: right.map { $0 + "x" })
            #expect(wrong.status == 401 && wrong.code == "access.token_unknown")
            // The right token in the hands of another user.
            let stolen = try await Self.ask(socket, as: .stranger, "GET", "/v1/zones", headers: right)
            #expect(stolen.status == 403 && stolen.code == "forbidden")
            func body(_ count: Int) -> String { "{\"fields\":{\"a\":\"\(String(repeating: "x", count: count))\"}}" }
            let fits = try await Self.ask(socket, as: .notes, "PUT", put, body: body(2_000), headers: right)
            #expect(fits.status == 200, "\(fits)")
            let large = try await Self.ask(socket, as: .notes, "PUT", put, body: body(4_000), headers: right)
            #expect(large.status == 507 && large.code == "storage.limit", "\(large)")
            #expect(large.text.contains("storage-limit"))
            let record = try await node.records.record(zone: "n", name: "r")
            #expect(record.fields.first.map { "\($0.value)".contains(String(repeating: "x", count: 2_001)) } == false)
        }
    }
}
