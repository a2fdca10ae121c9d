import ArgumentParser
import FoundationEssentials
import Testing

@testable import KairanClient
@testable import PeerControl

@Suite struct `Names in place of ids` {
    private func read<Value: Decodable>(_ text: String) throws -> Value {
        try DaemonClient.decode(Array(text.utf8))
    }

    private static let account = """
        {"account":"oooooooooo","account_name":"me","recovery_key":"r","devices":[{"device":"dddddddddd","name":"desk",
        "role":"full","added_at":"2026-07-21T09:30:00.500Z","last_seen":null,"this":true}],
        "removed":[{"device":"gggggggggg","name":"old phone"}]}
        """
    private static let peers = """
        [{"device":"llllllllll","account":"oooooooooo","name":"lap","state":"connected","role":"full"},
        {"device":"pppppppppp","account":"bbbbbbbbbb","name":"phone","state":"connected","role":"full"},
        {"device":"qqqqqqqqqq","account":"cccccccccc","name":"phone","state":"away","role":"full"}]
        """
    private static let accounts = """
        [{"account":"bbbbbbbbbb","account_name":"Bob","petname":"Bob","display_name":null,"this":false}]
        """

    /// The style with all names that the daemon tells.
    private var named: Style {
        get throws {
            var style = Style.plain
            let accounts: [NamedAccount] = try read(Self.accounts)
            style.accounts = Labels(accounts)
            style.devices = Session.devices(of: try read(Self.account), and: try read(Self.peers), style: style)
            style.zones = Labels([
                Labels.Thing(id: "zzzzzzzzzz", name: "notes"), Labels.Thing(id: "yyyyyyyyyy", name: "not\u{435}s"),
                Labels.Thing(id: "xxxxxxxxxx", name: "plans"),
            ])
            return style
        }
    }

    @Test func `devices of other accounts are called by the name of the account, and removed ones by their own`() throws
    {
        let style = try named
        #expect(style.device("dddddddddd") == "desk" && style.device("llllllllll") == "lap")
        #expect(style.device("pppppppppp") == "phone of Bob" && style.device("qqqqqqqqqq") == "phone of cccccccc")
        #expect(style.device("gggggggggg") == "old phone" && style.device("eeeeeeeeee") == "eeeeeeee")
        let unnamed = Session.devices(of: nil, and: try read(Self.peers), style: .plain)
        #expect(unnamed.text(of: "pppppppppp", shown: "pppppppp") == "phone (pppppppp)", "two are called so")
    }

    @Test func `zones that look the same have the id behind`() throws {
        let style = try named
        #expect(style.zone("zzzzzzzzzz") == "notes (zzzzzzzz)" && style.zone("yyyyyyyyyy") == "not\u{435}s (yyyyyyyy)")
        #expect(style.zone("xxxxxxxxxx") == "plans" && style.zone("vvvvvvvvvv") == "vvvvvvvv")
        var whole = style
        whole.showsWholeIDs = true
        #expect(whole.zone("xxxxxxxxxx") == "plans (xxxxxxxxxx)" && whole.zone("vvvvvvvvvv") == "vvvvvvvvvv")
        #expect(
            style.zone("vvvvvvvvvv", called: "a\u{1B}b") == "a�b" && style.zone("vvvvvvvvvv", called: "") == "vvvvvvvv"
        )
    }

    private static let conflicts = """
        [{"zone":"xxxxxxxxxx","name":"n1","siblings":[
        {"version":"11111111aa000000","by":"dddddddddd","fields":{"title":"Milk"}},
        {"version":"11111111ab000000","by":"pppppppppp","fields":{"title":"Bread"}}],
        "ancestor":{"version":"2222222222000000","by":"eeeeeeeeee","fields":{"title":"?"}}}]
        """

    @Test func `conflicts name zone and authors, and as much of a version as tells it apart`() throws {
        let conflicts: [Conflict] = try read(Self.conflicts)
        var style = try named
        #expect(
            Conflicts.text(conflicts, style: style) == """
                n1  zone plans
                  11111111aa by desk
                    title = Milk
                  11111111ab by phone of Bob
                    title = Bread
                  22222222 by eeeeeeee (common ancestor)
                    title = ?

                `kairan resolve ZONE NAME --take VERSION` chooses a side.
                """
        )
        style.showsWholeIDs = true
        #expect(Conflicts.text(conflicts, style: style).contains("  11111111ab000000 by phone of Bob (pppppppppp)"))
    }

    @Test func `a sibling is selected by the part of its version that the list shows`() throws {
        let conflicts: [Conflict] = try read(Self.conflicts)
        let conflict = try #require(conflicts.first)
        #expect(try Resolve.version("11111111ab", of: conflict) == "11111111ab000000")
        for (text, code) in [("11111111", "id.ambiguous"), ("1111111", "id.too_short"), ("22222222", "id.unknown")] {
            let error = #expect(throws: InputError.self) { try Resolve.version(text, of: conflict) }
            #expect(error?.code == code && error?.fix.contains("kairan conflicts") == true, "\(text)")
        }
    }

    @Test func `quarantined writes name authors and zones`() throws {
        let writes: [QuarantinedWrite] = try read(
            """
            [{"id":"17.cccccccccc","zone":"xxxxxxxxxx","record":"n1","type":"note","deletion":false,
            "author":"gggggggggg","reason":"above_cut","written_at":"2026-03-01T10:00:00.000Z","size":420}]
            """
        )
        var style = try named
        #expect(
            QuarantineCommand.text(writes, style: style) == """
                RECORD  TYPE  WRITTEN               REASON     BY         ZONE   ID
                n1      note  2026-03-01 10:00:00Z  above cut  old phone  plans  17.cccccccc
                """
        )
        style.showsWholeIDs = true
        #expect(QuarantineCommand.text(writes, style: style).hasSuffix("  plans (xxxxxxxxxx)  17.cccccccccc"))
    }

    @Test func `the list of devices out of step names devices of others with their account`() throws {
        let work: PendingWork = try read(
            """
            {"pending":[{"zone":"xxxxxxxxxx","zone_name":"plans","container":"c","device":"pppppppppp","device_name":"phone",
            "account":"bbbbbbbbbb","state":"away","count":3,"behind":5,"missing":0,"oldest_at":null,
            "age_ms":null,"reason":"peer_away","since":null}],"held_back":[{"zone":"xxxxxxxxxx","device":"llllllllll","count":2,
            "waits_for":[{"log":"cccccccccc","device":"dddddddddd","held":2,"needed":6}]}]}
            """
        )
        let text = Pending.text(work, style: try named)
        #expect(text.contains("\nplans  phone of Bob  "))
        #expect(text.hasSuffix("\n2 operations of lap in zone plans wait for 4 of desk."))
    }

    private func event(_ members: String) throws -> DaemonEvent { try read(#"{"number":2,"token":"t",\#(members)}"#) }

    private func sync(with device: String, in zone: String = "null") throws -> DaemonEvent {
        try event(
            #""event":"sync","id":3,"kind":"import","zone":\#(zone),"peer":"\#(device)","account":"a","count":2,"#
                + #""started_at":"2026-07-21T09:30:00.500Z","ended_at":"2026-07-21T09:30:01.500Z","duration_ms":1000,"#
                + #""succeeded":true,"error":null"#
        )
    }

    @Test func `events name devices, their accounts and zones`() throws {
        let style = try named
        let text = { (event: DaemonEvent) in Watch.text(event, style: style) }
        #expect(text(try sync(with: "pppppppppp")) == "import from phone of Bob: 2 operations")
        #expect(
            text(try sync(with: "eeeeeeeeee", in: #""xxxxxxxxxx""#)) == "import from eeeeeeee in plans: 2 operations"
        )
        #expect(text(try event(#""event":"quarantine","zone":"xxxxxxxxxx""#)) == "the quarantine of zone plans changed")
    }

    @Test func `names are requested once for new ids in an event, and not again for those without one`() throws {
        var names = WatchedNames(style: .plain)
        #expect(try names.note(sync(with: "pppppppppp")))
        names.renew(try named)
        #expect(try !names.note(sync(with: "pppppppppp")) && names.style.device("pppppppppp") == "phone of Bob")
        #expect(try !names.note(sync(with: "eeeeeeeeee")), "they were asked for just now")
        let later = ContinuousClock.now + .seconds(3)
        #expect(try names.note(sync(with: "eeeeeeeeee"), at: later))
        names.renew(try named, at: later)
        #expect(try !names.note(sync(with: "eeeeeeeeee"), at: later + .seconds(3)), "it has no name")
        #expect(try names.note(sync(with: "llllllllll", in: #""vvvvvvvvvv""#), at: later + .seconds(3)))
    }

    @Test func `the status and the account have no whole id unless it is asked for`() throws {
        let status: DaemonStatus = try read(
            #"{"version":"1","device":"dddddddddd","account":"bbbbbbbbbb","incarnation":"00","state":"ready","peers":0,"#
                + #""zones":0,"pending":0,"listening_port":null,"health":[]}"#
        )
        let account: Account = try read(Self.account)
        var whole = try named
        whole.showsWholeIDs = true
        #expect(try Status.text(status, style: named).contains("\ndevice   desk\naccount  Bob\n"))
        #expect(Status.text(status, style: .plain).contains("\ndevice   dddddddd\naccount  bbbbbbbb\n"))
        #expect(Status.text(status, style: whole).contains("\ndevice   desk (dddddddddd)\naccount  Bob (bbbbbbbbbb)\n"))
        #expect(AccountCommand.text(account, style: .plain).hasPrefix("account oooooooo\nname me\n\nNAME "))
        #expect(AccountCommand.text(account, style: whole).hasPrefix("account oooooooooo\nname me\n\nNAME "))
    }

    private static let record = """
        {"zone":"zzzz","name":"n1","type":"Note","fields":{},"version":"4f1c00112233445566778899aabbccdd",
        "deleted":false,"created_by":"llllllllll","modified_by":"pppppppppp",
        "modified_at":"2026-07-21T09:30:00.500Z","conflicts":0}
        """

    @Test func `a record and its changes name the device that wrote it, and have the beginning of the version`() throws
    {
        let record: Record = try read(Self.record)
        let changes: ChangeSet = try read(
            #"{"zones":[],"changes":[{"kind":"save","by_sync":true,"record":\#(Self.record)}],"token":"t9","more":false}"#
        )
        let change = try event(#""event":"change","kind":"save","by_sync":false,"record":\#(Self.record)"#)
        let style = try named
        var whole = style
        whole.showsWholeIDs = true
        #expect(
            Get.text(record, style: style)
                == "n1  Note\nversion 4f1c0011, written by phone of Bob at 2026-07-21 09:30:00Z"
        )
        #expect(Get.text(record, style: whole).contains("version 4f1c00112233445566778899aabbccdd, written by"))
        #expect(Changes.text(changes, style: style).contains("  phone of Bob  by sync"))
        #expect(Watch.text(change, style: style) == "save n1, version 4f1c0011 from here")
    }

    @Test func `a zone that was joined and is not here yet has the beginning of its id`() {
        let join = Join(zone: "vvvvvvvvvv", rights: nil, state: .joined)
        let arrival = JoinCommand.Arrival(id: "vvvvvvvvvv", join: join, zone: nil, missing: 0, heldBack: 0)
        #expect(arrival.text(style: .plain).hasPrefix("Joined the zone vvvvvvvv. It is not here yet"))
    }
}
