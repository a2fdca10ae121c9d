import ArgumentParser
import FoundationEssentials
import KairanClient
import Testing

@testable import PeerControl

@Suite struct `Output for people` {
    private static let time = "2026-07-21T09:30:00.125Z"

    private static let closed = #"{"world":[],"authenticated":[],"creator":[]}"#

    private func read<Value: Decodable>(_ text: String) throws -> Value {
        try DaemonClient.decode(Array(text.utf8))
    }

    private static let record = """
        {"zone":"zzzz","name":"n1\\u001b[2J","type":"Note",
        "fields":{"title":"Milk\\nBread","amount":2,"ratio":{"$double":3}},
        "version":"4f1c","deleted":false,"created_by":"aaaaaaaabbbb","modified_by":"aaaaaaaabbbb",
        "modified_at":"\(time)","conflicts":1}
        """

    @Test func `a table is aligned and has no trailing spaces`() {
        var table = Table([.text("NAME"), .number("COUNT"), .text("LAST")])
        table.add(["a", "7", ""])
        table.add(["a long one", "1234", "end"])
        #expect(
            table.text(style: .plain, empty: "-") == """
                NAME        COUNT  LAST
                a               7
                a long one   1234  end
                """
        )
        #expect(Table([.text("X")]).text(style: .plain, empty: "nothing") == "nothing")
    }

    @Test func `headings are bold where people look, and columns fit wide characters`() {
        var table = Table([.text("NAME"), .text("OF")])
        table.add(["回覧", "b"])
        table.add(["e\u{301}t\u{E9}", "c"])
        #expect(table.text(style: .plain, empty: "-") == "NAME  OF\n回覧  b\ne\u{301}t\u{E9}   c")
        #expect(
            table.text(style: Style(isColourful: true), empty: "-").hasPrefix("\u{1B}[1mNAME\u{1B}[0m  \u{1B}[1mOF")
        )
        #expect(DisplayWidth.of("") == 0 && DisplayWidth.of("abc–") == 4 && DisplayWidth.of("한🍵") == 4)
    }

    @Test func `ids are short in tables, and longer if needed to distinguish zones`() throws {
        func zone(_ id: String, _ name: String) -> String {
            """
            {"zone":"\(id)","name":"\(name)","container":"c","kind":"custom","database":"private",
            "owner":"a","own":true,
            "rights":"admin","public":\(Self.closed),"records":0,"internal_records":0,"epoch":null,"digest":"00","peers":[]}
            """
        }
        let list = [zone("aaaaaaaaaa", "x"), zone("bbbbbbbbbb", "y"), zone("bbbbbbbbcc", "y")]
        let zones: [Zone] = try read("[\(list.joined(separator: ","))]")
        let ids = ZoneCommand.list(zones, style: .plain).split(separator: "\n").map { $0.split(separator: " ").last }
        #expect(ids == ["ZONE", "aaaaaaaa", "bbbbbbbbb", "bbbbbbbbc"])
        let whole = ZoneCommand.list(zones, style: Style(isColourful: false, showsWholeIDs: true))
        #expect(whole.contains("aaaaaaaaaa") && whole.hasSuffix("bbbbbbbbcc"))
        #expect(ZoneCommand.list([], style: .plain) == "no zones; `kairan zone create` makes one")
    }

    @Test func `control characters are replaced by visible ones`() throws {
        #expect(Table.visible("a\u{1B}[2J\u{7}\u{202E}b\nc") == "a�[2J��b⏎c")
        let record: Record = try read(Self.record)
        #expect(!Get.text(record, style: .plain).contains("\u{1B}"))
    }

    @Test func `colours are only there when they are wanted`() throws {
        let record: Record = try read(Self.record)
        #expect(Get.text(record, style: Style(isColourful: true)).contains("\u{1B}[1m"))
    }

    @Test func `a record`() throws {
        let record: Record = try read(Self.record)
        #expect(
            Get.text(record, style: .plain) == """
                n1�[2J  Note
                  amount  2
                  ratio   {"$double":3}
                  title   Milk⏎Bread
                version 4f1c, written by aaaaaaaa at 2026-07-21 09:30:00Z
                1 field has concurrent values that disagree: see kairan conflicts.
                """
        )
    }

    @Test func `the status with a warning`() throws {
        let status: DaemonStatus = try read(
            """
            {"version":"1.2.3","device":"dddd","account":"aaaa","incarnation":"00","state":"degraded","peers":1,
            "zones":2,"pending":1,"listening_port":null,
            "health":[{"code":"disk.low","severity":"warning","message":"Little space.","fix":"Tidy up."}]}
            """
        )
        #expect(
            Status.text(status, style: .plain) == """
                state    degraded
                version  1.2.3
                device   dddd
                account  aaaa
                peers    1 connected
                zones    2
                pending  1 operation
                port     none

                warning: Little space. [disk.low]
                  Tidy up.
                """
        )
    }

    @Test func `the version of a peer's program, where ids are shown whole`() throws {
        let peers: [Peer] = try read(
            """
            [{"device":"abcdefghijkl","account":"a","name":"desk","state":"connected","address":null,"via":null,
            "rtt_ms":null,"skew_ms":null,"role":"full","post_quantum":true,"version":"0.1.0","revision":1},
            {"device":"ghijklmnopqr","account":"a","name":"shelf","state":"away","address":null,"via":null,
            "rtt_ms":null,"skew_ms":null,"role":"full","version":null,"revision":null}]
            """
        )
        #expect(
            Peers.text(peers, style: Style(isColourful: false, showsWholeIDs: true)) == """
                NAME   STATE      ADDRESS  VIA  RTT  SKEW  CHANNEL       VERSION  ROLE  DEVICE
                desk   connected  –        –      –     –  post-quantum  0.1.0    full  abcdefghijkl
                shelf  away       –        –      –     –  –             –        full  ghijklmnopqr
                """
        )
    }

    @Test func `peers`() throws {
        let peers: [Peer] = try read(
            """
            [{"device":"abcdefghijkl","account":"a","name":"desk","state":"connected","address":"192.0.2.7:4711",
            "via":"last_known","rtt_ms":1.25,"skew_ms":-2500,"role":"full",
            "channel_version":2,"channel_pinned":2,"post_quantum":true},
            {"device":"ghijklmnopqr","account":"a","name":"shelf","state":"connected","address":null,"via":"inbound",
            "rtt_ms":2,"skew_ms":0,"role":"full","channel_version":1,"channel_pinned":1,"post_quantum":false},
            {"device":"mnopqrstuvwx","account":"a","name":"old laptop","state":"away","address":null,"via":null,
            "rtt_ms":null,"skew_ms":null,"role":"read_only"},
            {"device":"stuvwxyzabcd","account":"a","name":"tower","state":"unreachable","address":"192.0.2.8:7621",
            "via":"mdns","rtt_ms":null,"skew_ms":null,"role":"full","silence_ms":null,
            "trouble":{"error":"no answer in time","since":"2026-01-02T03:04:05Z","fix":"Let it in."}},
            {"device":"uvwxyzabcdef","account":"a","name":"pi","state":"connected","address":"192.0.2.9:7621",
            "via":"mdns","rtt_ms":1,"skew_ms":0,"role":"full","silence_ms":12345,"trouble":null}]
            """
        )
        #expect(
            Peers.text(peers, style: .plain) == """
                NAME        STATE            ADDRESS         VIA            RTT    SKEW  CHANNEL       ROLE       DEVICE
                desk        connected        192.0.2.7:4711  last known  1.3 ms  -2.5 s  post-quantum  full       abcdefgh
                shelf       connected        –               inbound     2.0 ms  0.0 ms  classical     full       ghijklmn
                old laptop  away             –               –                –       –  –             read only  mnopqrst
                tower       unreachable      192.0.2.8:7621  mdns             –       –  –             full       stuvwxyz
                pi          silent for 12 s  192.0.2.9:7621  mdns        1.0 ms  0.0 ms  –             full       uvwxyzab
                tower, not reached since 2026-01-02 03:04:05Z: no answer in time. Let it in.
                """
        )
        #expect(Peers.text([], style: .plain) == "no other devices; `kairan pair offer` adds one")
    }

    @Test func `the owner, the participants and the invitations of a zone`() throws {
        let share: Share = try read(
            """
            {"zone":"zzzz","owner":{"account":"aaaaaaaabb","devices":[{"device":"d","name":"desk"},
            {"device":"e","name":"lap"}]},"participants":[{"account":"bbbbbbbbcc","this":true,"rights":"append",
            "delegate":true,"via":"cccc","since":"\(Self.time)","devices":[],"capabilities":[{"capability":"cccc",
            "rights":"append","depth":1,"by":"aaaaaaaabb","since":"\(Self.time)","types":["A","B"],"prefix":"p-",
            "expires_at":"\(Self.time)"}]}],"public":{"world":["read"],"authenticated":[],"creator":[]},
            "invites":[{"invite":"iiiiiiiijj","link":"kairan://join#secret","rights":"read","depth":0,"uses":3,"taken":1,
            "expires_at":"\(Self.time)","approval":true,"state":"open","device":"ddddddddee"},{"invite":"kkkkkkkkll",
            "link":"kairan://join#other","rights":"write","depth":1,"uses":1,"taken":0,"expires_at":"\(Self.time)",
            "approval":true,"state":"zone_gone","device":"ddddddddee"}],
            "requests":[{"request":"iiiiiiiijj.cccccccccc","account":"cccccccccc","device":"d","invite":"iiiiiiiijj",
            "asked_at":"\(Self.time)","waits_for":"approval"}],"waits_for":["bbbbbbbbcc"]}
            """
        )
        #expect(
            ShareCommand.text(share, style: .plain) == """
                ACCOUNT   RIGHTS                                                                 SINCE                 BY        DEVICES
                aaaaaaaa  owner                                                                                                  desk, lap
                bbbbbbbb  append; may delegate; only A, B; only p-…; until 2026-07-21 09:30:00Z  2026-07-21 09:30:00Z  aaaaaaaa  not known here

                INVITATION  RIGHTS  JOINED  UNTIL                 STATE                 DEVICE
                iiiiiiii    read    1 of 3  2026-07-21 09:30:00Z  open, needs approval  dddddddd
                kkkkkkkk    write   0 of 1  2026-07-21 09:30:00Z  zone gone             dddddddd

                ASKS TO JOIN  SINCE                 BY INVITATION  WAITS FOR
                cccccccc      2026-07-21 09:30:00Z  iiiiiiii       your approval

                world: read
                known accounts: nothing
                creators: nothing

                Not known yet: the devices of bbbbbbbb; their operations wait.
                """
        )
    }

    @Test func `the revoked accounts`() throws {
        func told(_ json: String) throws -> String { ShareCommand.text(try read(json) as Revocation) }
        let one =
            #"{"zone":"z","revoked":["aaaaaaaabb","bbbbbbbbcc"],"kept":[],"epoch":null,"quarantined":1,"remaining":"read"}"#
        #expect(
            try told(one)
                == "Rights ended: aaaaaaaa, bbbbbbbb. 1 write waits in quarantine; `kairan quarantine ls` lists "
                + "them. It keeps the right read from others; only they and the owner can revoke it."
        )
        let none =
            #"{"zone":"z","revoked":["aaaaaaaabb"],"kept":["bbbbbbbbcc"],"epoch":null,"quarantined":0,"remaining":"none"}"#
        #expect(try told(none) == "Rights ended: aaaaaaaa. Kept, by rights of your own account: bbbbbbbb.")
    }

    @Test func `zones`() throws {
        let zones: [Zone] = try read(
            """
            [{"zone":"zzzz","name":"notes","container":"org.example","kind":"custom","database":"private",
            "owner":"aaaa","own":true,
            "rights":"admin","public":\(Self.closed),"records":12,"internal_records":0,"epoch":null,"digest":"00ff","peers":[
            {"device":"abcd","account":"aaaa","in_sync":true,"behind":0},
            {"device":"efgh","account":"bbbb","in_sync":false,"behind":3}]},
            {"zone":"yyyy","name":"plans","container":"org.example","kind":"custom","database":"shared",
            "owner":"bbbbbbbbbb","own":false,
            "rights":"read","public":\(Self.closed),"records":0,"internal_records":0,"epoch":null,"digest":"00ff","peers":[]},
            {"zone":"xxxx","name":"board","container":"org.example","kind":"custom","database":"public","owner":"bbbbbbbbbb",
            "own":false,
            "rights":"none","public":{"world":["read"],"authenticated":["create"],"creator":["write"]},"records":0,"internal_records":0,
            "epoch":null,"digest":"00ff","peers":[]}]
            """
        )
        #expect(
            ZoneCommand.list(zones, style: .plain) == """
                NAME   CONTAINER    DATABASE  OWNER     RIGHTS  RECORDS  SYNC             ZONE
                notes  org.example  private   you       owner        12  1 of 2 in step   zzzz
                plans  org.example  shared    bbbbbbbb  read          0  no other device  yyyy
                board  org.example  public    bbbbbbbb  public        0  no other device  xxxx
                """
        )
        let open = ZoneCommand.detail(try #require(zones.last), style: .plain)
        #expect(open.contains("rights     none; without a right: read, create; its creator, a record: write\n"))
        let zone = try #require(zones.first)
        #expect(
            ZoneCommand.detail(zone, style: .plain) == """
                zone       zzzz
                name       notes
                container  org.example
                kind       custom
                database   private
                owner      aaaa (you)
                rights     owner
                records    12
                epoch      none
                digest     00ff

                DEVICE  ACCOUNT  STATE
                abcd    aaaa     in step
                efgh    bbbb     3 operations behind
                """
        )
    }

    @Test func `conflicts`() throws {
        let conflicts: [Conflict] = try read(
            """
            [{"zone":"zzzzzzzzzz","name":"n1","siblings":[
            {"version":"s1","by":"aaaaaaaaaa","fields":{"title":"Milk"}},
            {"version":"s2","by":"bbbbbbbbbb","fields":{"title":"Bread"}}],
            "ancestor":{"version":"s0","by":"aaaaaaaaaa","fields":{"title":"?"}}}]
            """
        )
        #expect(
            Conflicts.text(conflicts, style: .plain) == """
                n1  zone zzzzzzzz
                  s1 by aaaaaaaa
                    title = Milk
                  s2 by bbbbbbbb
                    title = Bread
                  s0 by aaaaaaaa (common ancestor)
                    title = ?

                `kairan resolve ZONE NAME --take VERSION` chooses a side.
                """
        )
    }

    @Test func `zones and peers that are not in step`() throws {
        let work: PendingWork = try read(
            """
            {"pending":[{"zone":"zzzzzzzzzz","zone_name":"notes","container":"c","device":"aaaaaaaaaa","device_name":"lap",
            "account":"bbbbbbbbbb","state":"away","count":3,"behind":5,"missing":0,"oldest_at":"2026-03-01T10:00:00.000Z",
            "age_ms":1500,"reason":"peer_away","since":"2026-03-01T09:00:00.000Z"}],
            "held_back":[{"zone":"zzzzzzzzzz","device":"aaaaaaaaaa","count":1,
            "waits_for":[{"log":"cccccccccc","device":null,"held":2,"needed":6}]}]}
            """
        )
        #expect(
            Pending.text(work, style: .plain) == """
                ZONE   WITH  OWN  THERE  HERE    AGE  REASON     SINCE
                notes  lap     3      5     0  1.5 s  peer away  2026-03-01 09:00:00Z

                1 operation of aaaaaaaa in zone zzzzzzzz waits for 4 of cccccccc.
                """
        )
        let nothing: PendingWork = try read(#"{"pending":[],"held_back":[]}"#)
        #expect(Pending.text(nothing, style: .plain) == "everything is in step")
    }

    @Test func `quarantined writes`() throws {
        let writes: [QuarantinedWrite] = try read(
            """
            [{"id":"17.cccccccccc","zone":"zzzzzzzzzz","record":"n1","type":"note","deletion":true,
            "author":"aaaaaaaaaa","reason":"above_cut","written_at":"2026-03-01T10:00:00.000Z","size":420}]
            """
        )
        #expect(
            QuarantineCommand.text(writes, style: .plain) == """
                RECORD         TYPE  WRITTEN               REASON     BY        ZONE      ID
                n1 (deletion)  note  2026-03-01 10:00:00Z  above cut  aaaaaaaa  zzzzzzzz  17.cccccccc
                """
        )
        #expect(QuarantineCommand.text([], style: .plain) == "nothing is quarantined")
    }

    @Test func `events and changes`() throws {
        let change: DaemonEvent = try read(
            #"{"event":"change","number":1,"token":"t","kind":"delete","by_sync":true,"record":\#(Self.record)}"#
        )
        #expect(Watch.text(change, style: .plain) == "delete n1�[2J, version 4f1c by sync")
        let newer: DaemonEvent = try read(#"{"event":"grant","number":2}"#)
        #expect(Watch.text(newer, style: .plain) == "grant")
        func sentence(_ members: String) throws -> String {
            let event: DaemonEvent = try read(#"{"event":"anomaly","number":3,\#(members)}"#)
            var style = Style.plain
            style.zones = Labels([Labels.Thing(id: "zzzzzzzzzz", name: "no\u{1B}tes")])
            return Watch.text(event, style: style)
        }
        #expect(
            try sentence(
                #""kind":"refused_capability","count":12,"author":"aaaaaaaaaa","author_name":"lap","zone":"zzzzzzzzzz","#
                    + #""peer":"pppppppppp","peer_name":null,"account":"cccccccccc""#
            )
                == "anomaly: lap (aaaaaaaa) granted a right that is not valid in no�tes, 12 times, "
                + "delivered by device pppppppp of account cccccccc; it is refused"
        )
        #expect(
            try sentence(#""kind":"violation","count":1,"peer":"pppppppppp","account":"cccccccccc""#)
                == "anomaly: device pppppppp of account cccccccc broke the protocol; its session was ended"
        )
        #expect(
            try sentence(
                #""kind":"forked_log","count":1,"author":"pppppppppp","peer":"pppppppppp","zone":"yyyyyyyyyy""#
            )
                == "anomaly: device pppppppp signed two histories of one log in zone yyyyyyyy; "
                + "the log ends where they part"
        )
        #expect(
            try sentence(#""kind":"violation","count":2"#).hasPrefix("anomaly: a device broke the protocol, 2 times")
        )
        #expect(try sentence(#""kind":"of_later","count":1,"peer":"p""#) == "anomaly: device p of_later")
        let changes: ChangeSet = try read(
            #"{"zones":[],"changes":[{"kind":"save","by_sync":false,"record":\#(Self.record)}],"token":"t9","more":true}"#
        )
        #expect(
            Changes.text(changes, style: .plain) == """
                KIND  NAME    TYPE  MODIFIED              BY        CAME
                save  n1�[2J  Note  2026-07-21 09:30:00Z  aaaaaaaa  from here

                token t9
                More changes follow after this token.
                """
        )
    }

    @Test func `an offer, its outcome and the recovery words`() throws {
        let offer: PairingOffer = try read(#"{"ticket":"3JQK-7XWM","expires_at":"\#(Self.time)"}"#)
        #expect(
            Pair.text(offer) == """
                On the new device run:

                    kairan pair accept 3JQK-7XWM

                The ticket works once, until 2026-07-21 09:30:00Z. Waiting …
                """
        )
        let words = (1...24).map { "w\($0)" }
        let text = AccountCommand.text(words)
        #expect(text.split(separator: "\n").count == 6)
        #expect(text.hasPrefix(" 1 w1     2 w2     3 w3     4 w4\n 5 w5"))
    }

    @Test func `a time in a table is relative, or in UTC on request`() {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let told = { (seconds: Double) in Style(isColourful: false, now: now).time(now.addingTimeInterval(seconds)) }
        #expect(told(0) == "now" && told(-0.9) == "now" && told(-1) == "1 s ago" && told(-59.9) == "59 s ago")
        #expect(told(-60) == "1 min ago" && told(-3_599) == "59 min ago" && told(-3_600) == "1 h ago")
        #expect(told(-86_399) == "23 h ago" && told(-86_400) == "1 day ago" && told(-2_591_999) == "29 days ago")
        #expect(told(-2_592_000) == "2026-12-16" && told(120) == "in 2 min" && told(172_800) == "in 2 days")
        #expect(Style.plain.time(now) == "2027-01-15 08:00:00Z")
        #expect(told(-1e10) == "1710-02-25")
    }

    @Test func `an id is as long as needed to recognise it, or complete on request`() {
        let id = String(repeating: "abcd", count: 13)
        #expect(Style.plain.id(id) == "abcdabcd")
        #expect(Style(isColourful: false, showsWholeIDs: true).id(id) == id)
    }

    @Test func `indexes`() throws {
        let indexes: [FieldIndexSummary] = try read(
            """
            [{"type":"Note","field":"title","kind":"text","state":"building","declared":false},
            {"type":"Note","field":"due","kind":"value","state":"ready","declared":true}]
            """
        )
        #expect(
            IndexCommand.text(indexes, style: .plain) == """
                TYPE  FIELD  ON      STATE     ASKED FOR BY
                Note  title  text    building  this device
                Note  due    values  ready     a schema
                """
        )
    }

    @Test func `durations, counts and rates are short`() {
        #expect(Words.duration(milliseconds: 0.04) == "0.0 ms" && Words.duration(milliseconds: 12.6) == "13 ms")
        #expect(Words.duration(milliseconds: -1500) == "-1.5 s" && Words.tenths(.infinity) == "inf")
        #expect(Words.count(1, "zone", "zones") == "1 zone" && Words.count(0, "zone", "zones") == "0 zones")
        #expect(
            Import.text(saved: 2000, failed: 1, in: .milliseconds(500))
                == "Saved 2000 records, 1 refused, 4000 a second."
        )
        #expect(Import.text(saved: 0, failed: 0, in: .zero) == "Saved 0 records, 0 a second.")
    }
}

@Suite struct `Failures of commands` {
    private func problem(_ kind: KairanError.Kind, _ code: String) -> KairanError {
        KairanError(
            kind,
            problem: Problem(
                type: "",
                title: "",
                status: 0,
                code: code,
                detail: "What.",
                fix: "Do.\nThen.",
                isRetryable: false
            )
        )
    }

    @Test(arguments: [
        (KairanError.Kind.refused, "record.unknown", Int32(1)), (.refused, "busy", 75), (.refused, "not_ready", 75),
        (.refused, "storage.disk_full", 75), (.refused, "message.incomplete", 75), (.refused, "request.too_many", 75),
        (.refused, "storage.limit", 1),
        (.refused, "storage.failed", 1), (.unreachable, "daemon.unreachable", 69),
        (.interrupted, "daemon.interrupted", 1), (.unexpectedAnswer, "daemon.unexpected_answer", 1),
    ])
    func `each failure has its exit code`(kind: KairanError.Kind, code: String, exit: Int32) {
        #expect(Failure(problem(kind, code)).exitCode == exit)
    }

    @Test func `other failures have theirs`() {
        #expect(Failure(ValidationError("wrong")).exitCode == 64)
        #expect(Failure(ExitCode(1)).exitCode == 1)
        #expect(Failure(CleanExit.helpRequest()).exitCode == 0)
        #expect(Failure(InputError(detail: "", fix: "")).exitCode == 1)
        #expect(Failure(CancellationError()).exitCode == 1)
        #expect(Failure(Terminal.OutputClosed()).exitCode == 141)
        #expect(Failure(OutputError(place: "a", number: 5)).exitCode == 74)
        #expect(Failure(SocketRefusal(path: "/s", group: nil, user: "a")).exitCode == 77)
    }

    @Test func `people read the fault and the remedy`() {
        #expect(Failure.text(problem(.refused, "busy").problem) == "kairan: What. Do. Then.")
    }
}
