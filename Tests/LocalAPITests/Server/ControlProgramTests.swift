import FoundationEssentials
import Glibc
import KairanClient
import Node
import Synchronization
import TestSupport
import Testing
import Wire

@testable import LocalAPI

/// The program `kairan` as people and scripts run it, against a real socket.
@Suite struct `The program kairan` {
    static func withProgram(
        node: FakeNode = FakeNode(),
        _ body: @escaping @Sendable (_ run: Program) async throws -> Void
    ) async throws {
        let path = (Subprocess.products ?? "") + "/kairan"
        guard access(path, X_OK) == 0 else {
            return try cannotRun("the program kairan was not built beside the tests")
        }
        try await LiveServer.withDirectory { directory in
            try await LiveServer.run(node: node, in: directory) { socket, _ in
                try await body(Program(path: path, socket: socket))
            }
        }
    }

    struct Program: Sendable {
        var path: String
        var socket: String

        var environment: [String: String] { ["KAIRAN_SOCKET": socket] }

        func callAsFunction(_ arguments: String..., input: String = "") async throws -> Subprocess.Result {
            try await Subprocess.run([path] + arguments, input: input, environment: environment)
        }

        func json(_ arguments: String..., input: String = "") async throws -> JSONValue {
            let result = try await Subprocess.run([path, "--json"] + arguments, input: input, environment: environment)
            #expect(result.status == 0 && result.error.isEmpty, "\(arguments): \(result.error)")
            #expect(result.output.hasSuffix("\n"))
            return try JSONParser.parse(Array(result.output.utf8))
        }
    }

    @Test(.timeLimit(.minutes(5))) func `each command prints one JSON document with its keys`() async throws {
        try await Self.withProgram { kairan in
            let status = try await kairan.json("status")
            let keys = ["version", "device", "account", "incarnation", "state", "peers", "zones", "pending", "health"]
            #expect(keys.allSatisfy { status[$0] != nil } && status["listening_port"] == 4711)
            let peer = try #require(try await kairan.json("peers").elements?.first)
            #expect(
                [
                    "device", "account", "name", "state", "address", "via", "rtt_ms", "skew_ms", "role",
                    "channel_version", "channel_pinned", "post_quantum", "version", "revision",
                ].allSatisfy { peer[$0] != nil }
            )
            let device = try #require(try await kairan.json("device", "ls").elements?.first)
            #expect(["device", "name", "role", "added_at", "last_seen", "this"].allSatisfy { device[$0] != nil })
            #expect(try await kairan.json("account", "show")["devices"]?.elements?.count == 1)
            #expect(try await kairan.json("account", "recovery-key")["words"]?.elements?.count == 24)
            let zone = try await kairan.json("zone", "create", "notes", "--history", "fromJoin")
            #expect(
                [
                    "zone", "name", "container", "database", "owner", "own", "rights", "records", "epoch", "digest",
                    "peers",
                ]
                .allSatisfy { zone[$0] != nil }
            )
            #expect(try await kairan.json("zone", "ls").elements?.count == 1)
            #expect(try await kairan.json("zone", "show", "notes")["digest"] == "00ff")
            let put = try await kairan.json(
                "put",
                "notes",
                "n1",
                "--type",
                "Note",
                "title=a=b",
                "n:=1.0",
                "d:={\"$date\":\"2026-07-21T09:30:00.125Z\"}"
            )
            #expect(put["zone"] == .string(FakeNode.zoneID.text) && put["name"] == "n1" && put["version"] == "v1")
            let get = try await kairan.json("get", "notes", "n1")
            #expect(
                get["fields"]?.encodedText
                    == #"{"d":{"$date":"2026-07-21T09:30:00.125Z"},"n":{"$double":1},"title":"a=b"}"#
            )
            #expect(
                ["name", "type", "fields", "version", "created_by", "modified_by", "modified_at", "conflicts"]
                    .allSatisfy { get[$0] != nil }
            )
            #expect(try await kairan.json("changes", "notes")["token"] == "t1")
            let conflicts = try await kairan.json("conflicts").elements ?? []
            #expect(conflicts.map { $0["name"]?.text } == ["n1", "n2"])
            #expect(conflicts.first?["siblings"]?.elements?.count == 2)
            #expect(try await kairan.json("resolve", "notes", "n1", "--take", "s1")["name"] == "n1")
            #expect(try await kairan.json("rm", "notes", "n1", "--if-version", "v1")["deleted"] == true)
            #expect(try await kairan.json("ls", "notes") == [])
            #expect(
                try await kairan.json("device", "remove", FakeNode.device.shortText, "--yes")["device"]
                    == .string(FakeNode.device.text)
            )
            #expect(try await kairan.json("zone", "delete", "notes", "--yes")["deleted"] == true)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a query continues until it has as many records as requested`()
        async throws
    {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            let nothing = try await kairan("query", "notes", "--type", "Note")
            #expect(nothing.status == 0 && nothing.output == "no such records\n", "\(nothing)")
            let asked = node.state.withLock { $0.calls.filter { $0.hasPrefix("query") } }
            #expect(asked.count == 2 && asked[1].contains("cursor:c1"))
            _ = try await kairan.json("put", "notes", "n1", "title=x", "--type", "Note")
            // The program requests more pages until it has as many records as were wanted.
            let found = try await kairan.json("query", "notes", "--type", "Note")
            #expect(found["records"]?.elements?.count == 2 && found["cursor"] == .null)
            let one = try await kairan.json("query", "notes", "--type", "Note", "--limit", "1")
            #expect(one["records"]?.elements?.count == 1 && one["cursor"] == "c1")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `each command about sharing prints one JSON document with its keys`()
        async throws
    {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            let share = try await kairan.json("share", "ls", "notes")
            let participant = try #require(share["participants"]?.elements?.first)
            #expect(["account", "rights", "via", "since"].allSatisfy { participant[$0] != nil })
            let granted = try await kairan.json(
                "share",
                "grant",
                "notes",
                "someone1",
                "--rights",
                "append",
                "--delegate",
                "--types",
                "A",
                "B",
                "--prefix",
                "p",
                "--expires",
                "1h"
            )
            #expect(granted == participant)
            let revoked = try await kairan.json("share", "revoke", "notes", "someone1", "--reason", "moved out")
            #expect(["revoked", "epoch", "quarantined"].allSatisfy { revoked[$0] != nil })
            #expect(
                try await kairan.json("share", "transfer", "notes", "someone1", "--keep", "read", "--yes")["keep"]
                    == "read"
            )
            #expect(try await kairan.json("share", "transfer", "notes", "--cancel")["state"] == "withdrawn")
            #expect(try await kairan.json("share", "accept", "notes", "--yes")["state"] == "accepted")
            #expect(try await kairan.json("share", "decline", "notes")["state"] == "declined")
            #expect(try await kairan.json("share", "raise-cut", "notes", "someone1", "--yes")["released"] == 3)
            let rotated = try await kairan.json("epoch", "rotate", "notes")
            #expect(rotated["zone"] != nil && rotated["epoch"] == .string(FakeNode.epoch.text))
            #expect(try await kairan.json("share", "public", "notes")["world"] == ["read"])
            _ = try await kairan.json("share", "public", "notes", "--world", "read,create", "--creator", "none")
            _ = try await kairan.json("share", "public", "notes", "--off")
            let left = try await kairan.json("leave", "notes", "--yes")
            #expect(["zone", "rights", "state"].allSatisfy { left[$0] != nil })
            #expect(
                node.calls == [
                    "share of notes", "share with someone1 append 1 [\"A\", \"B\"] p 3600000",
                    "revoke someone1 moved out", "transfer to someone1 read", "withdraw the transfer",
                    "accept the transfer", "decline the transfer", "raise someone1", "rotate",
                    "share of notes",
                    "public 3 - 0", "public 0 0 0", "zone notes", "leave",
                ]
            )
            let invited = try await kairan.json("share", "invite", "notes", "--rights", "write", "--uses", "3")
            #expect(["link", "expires_at"].allSatisfy { invited[$0] != nil })
            let plain = try await kairan("share", "invite", "notes", "--rights", "write", "--approve")
            #expect(
                plain.output == "kairan://join#secret\n"
                    && plain.error.hasPrefix("Valid for 3 accounts after your approval")
            )
            #expect(["participants", "invites", "requests"].allSatisfy { share[$0]?.elements?.count == 1 })
            #expect(try await kairan.json("share", "withdraw", "notes", "invite-i")["withdrawn"] == true)
            #expect(try await kairan("share", "withdraw", "notes", "other").status == 1)
            #expect(try await kairan.json("share", "approve", "notes", "i1.a1")["state"] == "joined")
            #expect(try await kairan.json("share", "deny", "notes", "i1.a1")["state"] == "denied")
            #expect(try await kairan.json("block", "someone1")["account"] != nil)
            let blocked = try #require(try await kairan.json("block", "ls").elements?.first?["account"]?.text)
            #expect(try await kairan.json("unblock", blocked)["blocked"] == false)
            let joined = try await kairan.json("join", "kairan://join#x", "--no-wait")
            #expect(["zone", "rights", "state"].allSatisfy { joined[$0] != nil } && joined["state"] == "joined")
            #expect(joined["name"] == "notes" && joined["complete"] == false, "something is held back")
            let soon = try await kairan("join", "kairan://join#x", "--timeout", "0")
            #expect(soon.output.hasPrefix("Joined the zone notes of org.example: you may "), "\(soon)")
            #expect(soon.output.contains(" The rest follows without further action: 1 operation is still missing."))
            let later = try await kairan("join", "later")
            #expect(
                later.output.hasPrefix(
                    "Asked. A person of the inviting account has to approve it, on one of its devices: `kairan share approve ZONE \(FakeNode.account.text.prefix(8))` there."
                ),
                "\(later)"
            )
            #expect(try await kairan("join", "later", "--no-wait", "--timeout", "1").status == 64)
            #expect(try await kairan.json("join", "ls").elements?.first?["invite"] == "invite-id")
            #expect(try await kairan.json("join", "forget", "invite")["forgotten"] == true)
            node.fail(with: NodeError(.rightWaiting, "What.", fix: "Do."))
            #expect(try await kairan("share", "ls", "notes").status == 75)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `records go through files, batches, imports and exports`() async throws {
        try await Self.withProgram { kairan in
            let batch = try await kairan.json(
                "batch",
                "notes",
                input: "{\"name\":\"a\",\"fields\":{\"x\":1}}\n\n{\"name\":\"b\"}"
            )
            #expect(batch["saved"] == 2 && batch["failed"] == 0)
            let lines = (0..<700).map { "{\"name\":\"r\($0)\",\"fields\":{\"i\":\($0)}}\n" }.joined()
            let imported = try await kairan("import", "notes", "--json", input: lines)
            let last = try #require(imported.output.split(separator: "\n").last)
            let final = try JSONParser.parse(Array(last.utf8))
            #expect(imported.status == 0 && final["saved"] == 700 && final["failed"] == 0 && final["done"] == true)
            #expect(try await kairan.json("ls", "notes").elements?.count == 702)
            #expect(try await kairan.json("ls", "notes", "--limit", "3").elements?.count == 3)
            let exported = try await kairan("export", "notes")
            #expect(exported.output.split(separator: "\n").count == 702)
            let refused = try await kairan("import", "notes", input: "{\"name\":\"z\"}\nnonsense\n")
            #expect(refused.status == 1 && refused.output == "Saved 1 record, 1 refused, \(refused.rate) a second.\n")
            #expect(refused.error.contains("line 2"))
            let document = try await kairan("get", "notes", "a", "--json")
            let again = try await kairan.json("put", "notes", "copy", "--file", "-", input: document.output)
            #expect(again["fields"] == ["x": 1] && again["type"] == "Record")
            let plain = try await kairan.json("put", "notes", "copy", "--file", "-", input: "{\"y\":2}")
            #expect(plain["fields"] == ["x": 1, "y": 2])
        }
    }

    @Test(.timeLimit(.minutes(5))) func `failures have their exit codes and a remedy`() async throws {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            let unknown = try await kairan("get", "notes", "n1")
            #expect(unknown.status == 1 && unknown.output.isEmpty)
            #expect(unknown.error == "kairan: There is no record n1. List the records.\n")
            let document = try await kairan("--json", "get", "notes", "n1")
            #expect(document.status == 1 && document.output.isEmpty)
            #expect(try JSONParser.parse(Array(document.error.utf8))["code"] == "record.unknown")
            for (code, status) in [
                (NodeError.Code.busy, Int32(75)), (.notReady, 75), (.diskFull, 75), (.storageFailed, 1),
                (.forbidden, 1),
            ] {
                node.fail(with: NodeError(code, "What.", fix: "Do."))
                #expect(try await kairan("status").status == status, "\(code)")
            }
            node.fail(with: .controlLogFull)
            let full = try await kairan("epoch", "rotate", "notes")
            #expect(full.status == 1 && full.output.isEmpty)
            #expect(full.error == "kairan: \(NodeError.controlLogFull.message) \(NodeError.controlLogFull.fix)\n")
            #expect(full.error.contains("another device of the account") && full.error.contains("kairan share revoke"))
            let fullDocument = try await kairan("--json", "epoch", "rotate", "notes")
            #expect(fullDocument.status == 1)
            let problem = try JSONParser.parse(Array(fullDocument.error.utf8))
            #expect(problem["code"] == "zone.control_log_full" && problem["status"] == 409)
            #expect(problem["retryable"] == false)
            node.fail(with: nil)
            let unreachable = try await kairan("status", "--socket", "/nowhere/s", "--json")
            #expect(unreachable.status == 69)
            #expect(try JSONParser.parse(Array(unreachable.error.utf8))["code"] == "daemon.unreachable")
            let usage = try await kairan("--json", "put", "notes")
            #expect(usage.status == 64)
            #expect(try JSONParser.parse(Array(usage.error.utf8))["code"] == "usage")
            for arguments in [["frobnicate"], ["put", "notes", "n1", "title"], ["resolve", "notes", "n1"]] {
                let result = try await Subprocess.run([kairan.path] + arguments, environment: kairan.environment)
                #expect(result.status == 64 && result.output.isEmpty && !result.error.isEmpty, "\(arguments)")
            }
            let verb = try await kairan("stats")
            #expect(verb.error.hasSuffix("`kairan stats`. Did you mean `kairan status`? `kairan help` lists all.\n"))
            let file = try await kairan("put", "notes", "n1", "--file", "/nowhere/f")
            #expect(file.status == 1 && file.error.contains("/nowhere/f"))
            #expect(try await kairan("get", "notes", "").status == 1)
            #expect(try await kairan("--help").status == 0)
            #expect(try await kairan("--version").status == 0)
            #expect(try await kairan("completions", "bash").output.contains("_kairan"))
        }
    }

    @Test(.timeLimit(.minutes(5))) func `an offer is printed at once and its outcome when it comes`() async throws {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            let program = try Subprocess([kairan.path, "--json", "pair", "offer"], environment: kairan.environment)
            let line = try #require(await program.nextLine())
            #expect(
                try JSONParser.parse(Array(line.utf8)) == [
                    "ticket": "abcd-efgh", "expires_at": "2027-01-15T08:00:00.000Z",
                ]
            )
            node.state.withLock { $0.pairingOutcome = FakeNode.outcome }
            let result = await program.finish()
            let outcome = try JSONParser.parse(Array(result.output.utf8))
            #expect(result.status == 0 && outcome["words"]?.elements?.count == 6 && outcome["name"] == "desk")
            let accepted = try await kairan.json("pair", "accept", "abcd", "efgh")
            #expect(accepted["device"] == .string(FakeNode.other.text))
            #expect(node.calls.last == "acceptPairing abcd efgh")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `recovery words are read up to the last of them, and never from arguments`()
        async throws
    {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            let program = try Subprocess(
                [kairan.path, "--json", "account", "recover"],
                environment: kairan.environment
            )
            let words = (1...24).map { "word\($0)" }
            program.write(words[..<12].joined(separator: " ") + "\n")
            program.write(words[12...].joined(separator: "\n") + "\n")
            // The input stays open, as a terminal's does.
            let line = try #require(await program.nextLine())
            #expect(try JSONParser.parse(Array(line.utf8))["device"] == .string(FakeNode.other.text))
            #expect(node.calls.last == "recoverAccount \(words.joined(separator: " "))")
            #expect(await program.finish().status == 0)
            let none = try await Subprocess.run([kairan.path, "account", "recover"], environment: kairan.environment)
            #expect(none.status == 1 && none.error.contains("No recovery words"))
            let named = [kairan.path, "account", "recover", "--account", "abcdefghijklmnop"]
            _ = try await Subprocess.run(named, input: "one two", environment: kairan.environment)
            #expect(node.calls.last == "recoverAccount one two of abcdefghijklmnop")
            let removal = [kairan.path, "device", "remove", "lap", "--words", "--yes"]
            let removed = try await Subprocess.run(removal, input: "one two", environment: kairan.environment)
            #expect(removed.status == 0 && removed.output.contains("No device can undo it"))
            #expect(node.calls.last == "removeDevice \(FakeNode.device.shortText) by one two")
            let replacing = [kairan.path, "account", "replace-words", "--yes"]
            let new = try await Subprocess.run(replacing, input: "one two", environment: kairan.environment)
            #expect(new.status == 0 && new.output.contains("24 new24"))
            #expect(node.state.withLock { $0.calls.contains("replaceRecoveryWords one two") })
            let recovering = [kairan.path, "--json", "account", "recover", "--remove-others", "--yes"]
            let recovered = try await Subprocess.run(recovering, input: "one two", environment: kairan.environment)
            #expect(try JSONParser.parse(Array(recovered.output.utf8))["removed"] == [])
            let unknown = [kairan.path, "account", "recover", "--remove", "zzzzzzzz", "--yes"]
            let refused = try await Subprocess.run(unknown, input: "one two", environment: kairan.environment)
            #expect(refused.status == 1 && refused.error.contains("No device has the name zzzzzzzz"))
            let shown = try await kairan("account", "recovery-key").output
            #expect(shown.contains(FakeNode.account.text) && shown.contains("24 word24"))
            let arguments = [kairan.path, "account", "recover"] + words
            #expect(try await Subprocess.run(arguments, environment: kairan.environment).status == 64)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `an enrolment token is alone on the output, or in a file for its owner`()
        async throws
    {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            let words = [kairan.path, "account", "enrolment-token"]
            let shown = try await Subprocess.run(words, environment: kairan.environment)
            #expect(shown.status == 0 && shown.output == "KAIRAN-ENROL:ABCD\n")
            #expect(shown.error.contains("Valid for 1 machine ("))
            #expect(node.calls.last == "makeEnrolmentToken 1 86400000 full")
            let path = kairan.socket + ".token"
            let options = ["--uses", "20", "--expires", "90m", "--role", "read-only", "--output", path, "--json"]
            let written = try await Subprocess.run(words + options, environment: kairan.environment)
            #expect(node.calls.last == "makeEnrolmentToken 20 5400000 readOnly")
            let json = try JSONParser.parse(Array(written.output.utf8))
            #expect(json["file"] == .string(path) && json["token"] == nil && json["role"] == "read_only")
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600 && status.st_size == 18)
            // An existing file is not overwritten.
            let again = try await Subprocess.run(words + ["--output", path], environment: kairan.environment)
            #expect(again.status == 1 && again.error.contains("does not exist yet"))
            #expect(try await Subprocess.run(words + ["--withdraw"], environment: kairan.environment).status == 0)
            #expect(node.calls.last == "withdrawEnrolmentTokens")
            for wrong in [["--uses", "0"], ["--expires", "31d"], ["--expires", "5"], ["--role", "king"]] {
                #expect(try await Subprocess.run(words + wrong, environment: kairan.environment).status == 64)
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `messages are sent, listed and finished`() async throws {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            let sent = try await kairan.json(
                "send",
                "notes",
                "Hello",
                "--to",
                "someone1",
                "--to",
                "someone2",
                "--reply-to",
                String(FakeNode.messageID.prefix(9)),
                "--expires",
                "2d"
            )
            let id = JSONValue.string(FakeNode.messageID)
            #expect(sent["message"] == id && sent["text"] == "Hello" && sent["reply_to"] == id)
            let call =
                "send 5 text/plain; charset=utf-8 [\"someone1\", \"someone2\"] reply \(FakeNode.messageID) 172800000"
            #expect(node.calls.last == call)
            let piped = try await kairan("send", "notes", input: "from a pipe\n")
            #expect(piped.output == "Sent \(FakeNode.messageID.prefix(8)) to all readers of the zone.\n")
            #expect(node.calls.last == "send 12 text/plain; charset=utf-8 [] - -")
            let path = kairan.socket + ".png"
            try Data([0x89, 0xFF]).write(to: URL(filePath: path))
            let image = try await kairan.json("send", "notes", "--file", path, "--content-type", "image/png")
            #expect(image["data"] == "if8=" && image["content_type"] == "image/png")
            // Empty content is not sent at all, nor content that is too large for any message.
            let count = node.calls.count
            #expect(try await kairan("send", "notes").status == 1)
            #expect(truncate(path, 1 << 34) == 0)
            let large = try await kairan("send", "notes", "--file", path)
            #expect(large.status == 1 && large.error.contains("17179869183 bytes"))
            #expect(node.calls.count == count)

            let listed = try #require(try await kairan.json("message", "ls", "notes").elements)
            #expect(listed.map { $0["state"] } == ["waiting", "for_others"])
            #expect(try await kairan.json("message", "ls", "notes", "--limit", "1").elements?.count == 1)
            let shown = try await kairan.json("message", "show", String(FakeNode.messageID.prefix(8)))
            let short = try await kairan("message", "show", String(FakeNode.messageID.prefix(7)))
            #expect(short.status == 1 && short.error.contains("at least 8 characters; `kairan message ls"), "\(short)")
            let unknown = try await kairan("message", "show", "cdcdcdcd")
            #expect(unknown.status == 1 && unknown.error.contains("or an id that begins with it"), "\(unknown)")
            #expect(["message", "zone", "from", "sent_at", "size"].allSatisfy { shown[$0] != nil })
            let receipt = try #require(shown["deliveries"]?.elements?.last)
            #expect(["account", "device"].allSatisfy { receipt[$0] != nil } && receipt["state"] == "read")
            #expect(try await kairan.json("inbox") == [])
        }
    }

    @Test(.timeLimit(.minutes(5))) func `the inbox waits for a message, and lists it until it is finished`()
        async throws
    {
        let node = FakeNode()
        let (entered, continuation) = AsyncStream.makeStream(of: Void.self)
        node.state.withLock { state in
            state.gate = {
                continuation.yield()
                node.state.withLock { $0.inbox = [FakeNode.message()] }
            }
        }
        try await Self.withProgram(node: node) { kairan in
            let waited = try await kairan.json("inbox", "--wait")
            var arrivals = entered.makeAsyncIterator()
            _ = await arrivals.next()
            let message = try #require(waited.elements?.first)
            let keys = ["message", "zone", "from", "sent_at", "content_type", "text"]
            #expect(keys.allSatisfy { message[$0] != nil } && waited.elements?.count == 1)
            let table = try await kairan("inbox")
            #expect(
                table.output.contains(FakeNode.messageID.prefix(8)) && !table.output.contains(FakeNode.messageID)
                    && table.output.contains("Milk�[2J, please")
            )
            #expect(!table.output.contains("\u{1B}"))
            #expect(try await kairan("inbox", "finish", "ffff").status == 1)
            // A beginning is enough.
            #expect(try await kairan.json("inbox", "finish", "abab") == ["finished": [.string(FakeNode.messageID)]])
            #expect(try await kairan("inbox").output == "no message waits\n")
            node.state.withLock { $0.inbox = [FakeNode.message(), FakeNode.message(number: 9)] }
            #expect(try await kairan("inbox", "finish", "--through", "7").output == "Finished 1 message.\n")
            #expect(try await kairan.json("inbox", "finish", "--through", "9", "--zone", "notes") == ["count": 1])
        }
    }

    @Test(.timeLimit(.minutes(5))) func `streams print each line as it comes`() async throws {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            let importing = try Subprocess([kairan.path, "import", "notes", "--json"], environment: kairan.environment)
            importing.write("{\"name\":\"a\"}\n")
            let first = try #require(await importing.nextLine())
            #expect(try JSONParser.parse(Array(first.utf8))["saved"] == 1)
            importing.write("{\"name\":\"b\"}\n")
            let second = try #require(await importing.nextLine())
            #expect(try JSONParser.parse(Array(second.utf8))["saved"] == 2)
            #expect(await importing.finish().status == 0)

            let watching = try Subprocess([kairan.path, "watch", "notes", "--json"], environment: kairan.environment)
            let snapshot = try #require(await watching.nextLine())
            #expect(try JSONParser.parse(Array(snapshot.utf8))["event"] == "snapshot")
            let feed = try #require(node.state.withLock { $0.events })
            feed.yield(.peer(FakeNode.peer))
            let event = try #require(await watching.nextLine())
            #expect(try JSONParser.parse(Array(event.utf8))["number"] == 1)
            feed.yield(.end(reason: "too_slow"))
            // The daemon ended the stream, not the person: worth another try.
            #expect(await watching.finish().status == 75)
        }
    }
}

extension Subprocess.Result {
    /// The rate in a summary, which differs each time.
    fileprivate var rate: String {
        String(output.split(separator: " ").suffix(3).first ?? "")
    }
}
