import FoundationEssentials
import KairanClient
import Testing

@testable import PeerControl

@Suite struct `Assets for people` {
    private func read<Value: Decodable>(_ text: String) throws -> Value {
        try DaemonClient.decode(Array(text.utf8))
    }

    private static let partial =
        #"{"asset":"aaaaaaaaaa","zone":"zzzzzzzzzz","record":"lake","field":"picture","size":2500000,"#
        + #""media_type":"image/jpeg","name":"lake\u001b.jpg","state":"partial","percent":40}"#
    private static let missing =
        #"{"asset":"aaaaaaaabb","zone":"zzzzzzzzzz","record":"lake","field":"others","item":2,"size":7,"#
        + #""state":"missing","percent":0}"#

    @Test func `are a table with the state of each`() throws {
        let assets: [Asset] = try read("[\(Self.partial),\(Self.missing)]")
        #expect(
            AssetText.list(assets, of: 2, style: .plain) == """
                RECORD  FIELD      NAME       TYPE           SIZE  STATE        COPIES  ASSET
                lake    picture    lake�.jpg  image/jpeg  2.4 MiB  partial 40%          aaaaaaaaa
                lake    others[2]                             7 B  missing              aaaaaaaab
                """
        )
        #expect(AssetText.list([], of: 0, style: .plain) == "no assets; `kairan asset add` adds one")
        #expect(AssetText.list([], of: 2, style: .plain) == "no such assets")
        #expect(AssetText.sentence(assets[0], style: .plain) == "lake�.jpg, asset aaaaaaaa is here to 40%.")
        #expect(AssetText.sentence(assets[1], style: .plain) == "asset aaaaaaaa is missing.")
    }

    /// An asset with so many copies.
    private func asset(
        _ id: String,
        _ state: Asset.State = .present,
        machines: Int,
        relays: Int = 0,
        holders: [String] = []
    ) -> Asset {
        Asset(
            asset: id,
            zone: "zzzzzzzzzz",
            record: "lake",
            field: "picture",
            size: 7,
            state: state,
            percent: 100,
            copies: AssetCopies(
                machines: machines,
                relays: relays,
                holders: holders.map {
                    AssetCopies.Holder(device: $0, statedAt: Date(timeIntervalSince1970: 1_785_230_000))
                }
            )
        )
    }

    @Test func `have the number of their copies, with the machines that have them`() {
        let assets = [
            asset("aaaaaaaaaa", machines: 2, relays: 1, holders: ["dddddddddd"]), asset("bbbbbbbbbb", machines: 1),
        ]
        #expect(
            AssetText.list(assets, of: 2, style: .plain) == """
                RECORD  FIELD    NAME  TYPE  SIZE  STATE    COPIES       ASSET
                lake    picture               7 B  present  2 + 1 relay  aaaaaaaa
                lake    picture               7 B  present  1            bbbbbbbb
                """
        )
        #expect(
            CopiesText.holders(assets, style: .plain) == """
                ASSET     MACHINE   SAID SO
                aaaaaaaa  dddddddd  2026-07-28 09:13:20Z
                """
        )
        #expect(CopiesText.holders([assets[1]], style: .plain) == nil)
    }

    @Test func `are summed up by the loss that their contents survive`() throws {
        func many(_ count: Int, _ prefix: String, machines: Int) -> [Asset] {
            (0..<count).map { asset("\(prefix)\($0)", machines: machines) }
        }
        #expect(
            CopiesText.summary(many(1_192, "a", machines: 2) + many(12, "b", machines: 1))
                == "1,204 contents. 12 are on this machine alone. All others survive the loss of 1 machine."
        )
        #expect(CopiesText.summary(many(2, "a", machines: 3)) == "2 contents. All survive the loss of 2 machines.")
        #expect(CopiesText.summary(many(1, "a", machines: 2)) == "1 content. It survives the loss of 1 machine.")
        let relayed = asset("a", machines: 1, relays: 1)
        #expect(CopiesText.summary([relayed, relayed]) == "1 content. It survives the loss of 1 machine.")
        let mixed = [
            asset("a", .evicted, machines: 1, holders: ["d"]), asset("b", .remote, machines: 0),
            asset("c", machines: 1), asset("d", machines: 2),
        ]
        #expect(
            CopiesText.summary(mixed)
                == "4 contents. 1 is on this machine alone. 1 is on one other machine alone. "
                + "1 is not here, and no machine is known to have it. The other one survives the loss of 1 machine."
        )
        #expect(CopiesText.summary([]) == nil)
        // An older daemon says nothing about copies.
        #expect(CopiesText.summary([try read(Self.partial)]) == nil)
    }

    @Test func `are explained with the machines that said earlier that they have them`() throws {
        let explanation: AssetExplanation = try read(
            """
            {"asset":"aaaaaaaaaa","size":9,"state":"present","percent":100,"places":[],"reasons":["All of it is here."],
            "fix":"","holders":[{"device":"dddddddddd","account":"cccccccccc","answer":"held"}],
            "copies":{"machines":3,"relays":1,"holders":[
            {"device":"dddddddddd","stated_at":"2026-07-28T09:30:00Z"},
            {"device":"eeeeeeeeee","stated_at":"2026-07-21T09:30:00Z"}]}}
            """
        )
        #expect(
            AssetText.explanation(explanation, style: .plain) == """
                asset aaaaaaaa, 9 B, is present.
                All of it is here.

                DEVICE    ACCOUNT   ANSWER
                dddddddd  cccccccc  has it

                eeeeeeee was not asked now. It said that it has the content: 2026-07-21 09:30:00Z.
                """
        )
    }

    @Test func `are named by beginnings of their ids that no other one has`() {
        let ids = ["aaaaaaaaaa", "aaaaaaaabb", "b", "aaaaaaaabb", "baaaaaaaaa", "caaaaaaaaa"]
        #expect(
            Words.shortened(ids) == [
                "aaaaaaaaaa": "aaaaaaaaa", "aaaaaaaabb": "aaaaaaaab", "b": "b", "baaaaaaaaa": "baaaaaaa",
                "caaaaaaaaa": "caaaaaaa",
            ]
        )
        for id in ids { #expect(Words.shortened(ids)[id] == Words.short(id, of: ids)) }
        #expect(Words.shortened([]).isEmpty)
    }

    @Test func `are values without their small pictures`() {
        let picture = AssetDescription(
            asset: "aaaaaaaaaa",
            size: 7,
            mediaType: "image/png",
            name: "a.png",
            thumbnail: Data([1, 2, 3])
        )
        #expect(Words.value(.asset(picture)) == "a.png, asset aaaaaaaa (image/png, 7 B)")
        #expect(Words.value(.asset(AssetDescription(asset: "bbbbbbbbbb", size: 9))) == "asset bbbbbbbb (9 B)")
        let list = Words.value(.list([.asset(picture), .set([.asset(picture)])]))
        #expect(list.contains("a.png") && !list.contains("thumbnail") && !list.contains("AQID"))
    }

    @Test func `are fetched by a policy, which is one sentence`() throws {
        func text(_ members: String) throws -> String { AssetText.policy(try read("{\(members)}"), of: "notes") }
        #expect(
            try text(#""policy":"always","default":true,"relays":true"#)
                == "notes: this device fetches all assets by itself, by default."
        )
        #expect(
            try text(#""policy":"up_to","up_to":10485760,"default":false,"relays":true"#)
                == "notes: this device fetches assets up to 10.0 MiB by itself, and larger ones on request."
        )
        #expect(
            try text(#""policy":"never","default":false,"relays":true"#)
                == "notes: this device fetches no assets, not even on request."
        )
        #expect(
            try text(#""policy":"on_demand","default":false,"relays":true"#)
                == "notes: this device fetches assets on request."
        )
        #expect(
            try text(#""policy":"at_night","default":false,"relays":true"#)
                == "notes: this device fetches assets by the policy at night."
        )
        #expect(
            try text(#""policy":"on_demand","default":false,"relays":false"#)
                == "notes: this device fetches assets on request. The relays of the account keep none of what is here."
        )
    }

    @Test(
        arguments: [
            ("0", 0), ("17", 17), ("10K", 10_240), ("10m", 10_485_760), ("2GiB", 2_147_483_648), ("", nil), ("M", nil),
            ("-1", nil), ("1.5M", nil), ("1T", nil), ("18446744073709551615", nil), ("9007199254740993G", nil),
        ] as [(String, UInt64?)]
    )
    func `have sizes that are typed with a unit`(text: String, size: UInt64?) {
        #expect(AssetPolicyOption.size(text) == size)
    }

    @Test func `are explained with their records, reasons and the next step`() throws {
        let explanation: AssetExplanation = try read(
            """
            {"asset":"aaaaaaaaaa","size":9,"state":"unresolved","percent":0,
            "places":[{"zone":"zzzzzzzzzz","record":"lake","field":"others","item":2}],
            "reasons":["No device that may have it is connected."],"fix":"Switch one on."}
            """
        )
        #expect(
            AssetText.explanation(explanation, style: .plain) == """
                asset aaaaaaaa, 9 B, is unresolved.
                No device that may have it is connected.
                Switch one on.

                ZONE      RECORD  FIELD
                zzzzzzzz  lake    others[2]
                """
        )
        let unnamed: AssetExplanation = try read(
            """
            {"asset":"aaaaaaaaaa","size":9,"state":"present","percent":100,"places":[],"reasons":[],"fix":"",
            "unnamed_since":"2026-07-21T09:30:00Z","kept_until":"2026-07-28T09:30:00Z"}
            """
        )
        #expect(
            AssetText.explanation(unnamed, style: .plain) == """
                asset aaaaaaaa, 9 B, is present.
                No record here has named it since 2026-07-21 09:30:00Z. It is dropped 2026-07-28 09:30:00Z at the earliest.
                """
        )
    }

    @Test func `are explained with the relays that keep them`() throws {
        let explanation: AssetExplanation = try read(
            """
            {"asset":"aaaaaaaaaa","size":9,"state":"present","percent":100,"places":[],"reasons":["All of it is here."],"fix":"",
            "relays":[{"device":"bbbbbbbbbb","until":"2026-07-21T09:30:00Z"}]}
            """
        )
        #expect(
            AssetText.explanation(explanation, style: .plain) == """
                asset aaaaaaaa, 9 B, is present.
                All of it is here.
                The relay bbbbbbbb keeps it, until 2026-07-21 09:30:00Z at least.
                """
        )
    }

    @Test func `are explained with the devices that have them, and with a promise`() throws {
        let explanation: AssetExplanation = try read(
            """
            {"asset":"aaaaaaaaaa","size":9,"state":"present","percent":100,"places":[],"reasons":["All of it is here."],
            "fix":"","promised_until":"2026-07-28T09:30:00Z","holders":[
            {"device":"dddddddddd","account":"cccccccccc","answer":"held"},
            {"device":"eeeeeeeeee","account":"cccccccccc","answer":"silent"},
            {"device":"ffffffffff","account":"cccccccccc","answer":"asleep"}]}
            """
        )
        #expect(
            AssetText.explanation(explanation, style: .plain) == """
                asset aaaaaaaa, 9 B, is present.
                All of it is here.
                This device has promised another one not to evict it; the promise ends 2026-07-28 09:30:00Z.

                DEVICE    ACCOUNT   ANSWER
                dddddddd  cccccccc  has it
                eeeeeeee  cccccccc  has not answered
                ffffffff  cccccccc  asleep
                """
        )
    }

    @Test func `may be kept by a device that states the end of all time as that of its promise`() throws {
        let eviction: AssetEviction = try read(
            #"""
            {"asset":"aaaaaaaaaa","state":"evicted","freed":1,"holders":[
            {"device":"dddddddddd","account":"cccccccccc","answer":"promised","until":"+292278994-08-17T07:12:55.807Z"}]}
            """#
        )
        let until = try #require(eviction.holders.first?.until)
        #expect(Words.time(until) == "+292278994-08-17 07Z")
        #expect(AssetText.evicted(eviction, style: .plain).contains("promised, ends +292278994"))
        #expect(Words.time(Date(timeIntervalSince1970: -.infinity)).hasPrefix("-292275055"))
    }

    @Test func `that were evicted name the devices that keep them`() throws {
        let eviction: AssetEviction = try read(
            """
            {"asset":"aaaaaaaaaa","state":"evicted","freed":2500000,"holders":[
            {"device":"dddddddddd","account":"cccccccccc","answer":"promised","until":"2026-07-28T09:30:00Z"},
            {"device":"eeeeeeeeee","account":"cccccccccc","answer":"absent"}]}
            """
        )
        #expect(
            AssetText.evicted(eviction, style: .plain) == """
                Dropped the content of asset aaaaaaaa, 2.4 MiB. Kept by:
                DEVICE    ACCOUNT   ANSWER
                dddddddd  cccccccc  promised, ends 2026-07-28 09:30:00Z
                """
        )
        let none: AssetEviction = try read(#"{"asset":"aaaaaaaaaa","state":"remote","freed":0,"holders":[]}"#)
        #expect(AssetText.evicted(none, style: .plain) == "The content of asset aaaaaaaa was not here: it is remote.")
    }

    @Test func `of a zone that stay when it is evicted are listed with the reasons`() throws {
        func asset(_ record: String, _ size: UInt64) throws -> Asset {
            try read(
                """
                {"asset":"a\(record)","zone":"z","record":"\(record)","field":"f","size":\(size),"state":"present",
                "percent":100}
                """
            )
        }
        func refusal(_ code: String, _ rest: String = "") throws -> Problem {
            try read(
                """
                {"type":"t","title":"t","status":409,"code":"\(code)","detail":"No.","fix":"","retryable":false\(rest)}
                """
            )
        }
        let results = [
            EvictionResult(asset: try asset("c", 100), freed: 100),
            EvictionResult(asset: try asset("b", 10), freed: 0, refusal: try refusal("asset.not_safe")),
            EvictionResult(
                asset: try asset("a", 20),
                freed: 0,
                refusal: try refusal("asset.promised", #","promised_until":"2026-07-28T09:30:00Z""#)
            ),
            EvictionResult(asset: try asset("d", 30), freed: 0, refusal: try refusal("asset.busy")),
            EvictionResult(asset: try asset("e", 40), freed: 0, refusal: try refusal("record.unknown")),
        ]
        #expect(
            AssetText.evicted(results, style: .plain) == """
                RECORD  FIELD  SIZE  REASON
                a       f      20 B  promised, ends 2026-07-28 09:30:00Z
                b       f      10 B  too few other devices keep it
                d       f      30 B  in use
                e       f      40 B  No.
                Dropped the content of 1 asset, 100 B.
                """
        )
        #expect(
            AssetText.evicted([results[0]], style: .plain) == "Dropped the content of 1 asset, 100 B."
        )
        #expect(results[1].json["code"] == "asset.not_safe" && results[0].json["code"] == .null)
        let question = Irreversible.eviction(of: [try asset("c", 100)], copies: 2)
        #expect(question.name == "1" && question.effect.contains("2 other machines have promised"))
        #expect(question.question.contains("comes back") && !question.question.contains("cannot be undone"))
    }

    @Test func `that no record names are listed, and dropped after a question`() throws {
        let found: AssetCollection = try read(
            """
            {"assets":[{"asset":"aaaaaaaaaa","size":2500000,"since":"2026-07-21T09:30:00Z",
            "until":"2026-07-28T09:30:00Z"}],"bytes":2500000,"dropped":0}
            """
        )
        #expect(
            AssetText.collection(found, style: .plain) == """
                ASSET        SIZE  UNNAMED SINCE         KEPT UNTIL
                aaaaaaaa  2.4 MiB  2026-07-21 09:30:00Z  2026-07-28 09:30:00Z
                2.4 MiB in all
                """
        )
        let none: AssetCollection = try read(#"{"assets":[],"bytes":0,"dropped":0}"#)
        #expect(AssetText.collection(none, style: .plain) == "a record names each asset that is here")
        #expect(
            AssetText.dropped(found) == "Dropped 0 assets. 1 other is kept for now: see --dry-run."
        )
        #expect(AssetText.dropped(none) == "Dropped 0 assets.")
        let until = try #require(found.assets.first?.until)
        #expect(found.due(at: until - 1).isEmpty && found.due(at: until) == found.assets)
        let question = Irreversible.collection(of: found.assets)
        #expect(question.effect.hasPrefix("Drops 1 asset (2.4 MiB) that no record has named for seven days, on this"))
        #expect(question.isConfirmed(by: "1\n") && !question.isConfirmed(by: "yes"))
    }

    @Test func `take the name of their file, unless another one is stated`() {
        #expect(AssetUpload(path: "/tmp/a/lake.jpg").statedName == "lake.jpg")
        #expect(AssetUpload(path: "lake.jpg", name: "sea.jpg").statedName == "sea.jpg")
        #expect(AssetUpload(path: "lake.jpg", name: "").statedName == nil)
        #expect(AssetUpload(path: "-").statedName == nil && AssetUpload(path: "-", name: "n").statedName == "n")
    }

    @Test func `are in the events of a watch`() throws {
        let event: DaemonEvent = try read(
            #"{"event":"asset","number":1,"zone":"zzzzzzzzzz","asset":"aaaaaaaaaa","state":"partial","percent":40}"#
        )
        #expect(Watch.text(event, style: .plain) == "asset aaaaaaaa in zzzzzzzz is here to 40%")
        var names = WatchedNames(style: .plain)
        let isNew = names.note(event)
        #expect(isNew, "the zone has no name yet")
    }
}
