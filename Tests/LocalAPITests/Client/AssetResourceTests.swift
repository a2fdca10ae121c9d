import FoundationEssentials
import KairanClient
import Testing

@Suite struct `Assets on the interface` {
    private static let photo = AssetDescription(
        asset: "5f0c",
        size: 2_500_000,
        mediaType: "image/jpeg",
        name: "a\u{E9}.jpg",
        modifiedAt: Date(milliseconds: 1_784_626_200_125),
        thumbnail: Data([1, 2, 3])
    )
    private static let text =
        #"{"$asset":{"asset":"5f0c","size":2500000,"media_type":"image/jpeg","name":"a\#u{E9}.jpg","#
        + #""modified_at":"2026-07-21T09:30:00.125Z","thumbnail":"AQID"}}"#

    private func value(_ text: String) throws -> RecordValue? {
        RecordValue(json: try JSONParser.parse(Array(text.utf8)))
    }

    private func document(_ text: String) throws -> JSONValue { try JSONParser.parse(Array(text.utf8)) }

    @Test func `a description is written and read with all of its members`() throws {
        #expect(RecordValue.asset(Self.photo).json.encodedText == Self.text)
        #expect(try value(Self.text) == .asset(Self.photo))
        #expect(try JSONValue(encoding: Self.photo) == document(Self.text)["$asset"])
        #expect(try document(Self.text)["$asset"]?.decoded(as: AssetDescription.self) == Self.photo)
    }

    @Test func `a description without a name, a type, a time and a picture has no such members`() throws {
        let bare = AssetDescription(asset: "5f0c", size: 7)
        #expect(RecordValue.asset(bare).json.encodedText == #"{"$asset":{"asset":"5f0c","size":7}}"#)
        #expect(try JSONValue(encoding: bare).encodedText == #"{"asset":"5f0c","size":7}"#)
        #expect(try value(#"{"$asset":{"asset":"5f0c","size":7,"later":[]}}"#) == .asset(bare))
        #expect(try value(#"{"$asset":{"asset":"5f0c"}}"#) == .asset(AssetDescription(asset: "5f0c")))
    }

    @Test(arguments: [
        #"{"$asset":"5f0c"}"#, #"{"$asset":{"size":7}}"#, #"{"$asset":{"asset":1}}"#,
        #"{"$asset":{"asset":"a","size":-1}}"#, #"{"$asset":{"asset":"a","size":"7"}}"#,
        #"{"$asset":{"asset":"a","name":1}}"#, #"{"$asset":{"asset":"a","media_type":null}}"#,
        #"{"$asset":{"asset":"a","modified_at":"today"}}"#, #"{"$asset":{"asset":"a","thumbnail":"A"}}"#,
    ])
    func `a value that describes no asset is none`(text: String) throws {
        #expect(try value(text) == nil)
    }

    @Test func `descriptions differ by the bytes of their names`() {
        var other = Self.photo
        other.name = "ae\u{301}.jpg"
        #expect(other != Self.photo && Set([other, Self.photo]).count == 2)
        #expect(RecordValue.asset(other) != .asset(Self.photo))
    }

    @Test func `states and policies that this version does not know are kept`() throws {
        let asset: Asset = try document(
            #"{"asset":"a","zone":"z","record":"r","field":"f","size":1,"state":"thawing","percent":3}"#
        )
        .decoded()
        #expect(asset.state.rawValue == "thawing" && asset.item == nil && asset.name == nil)
        let setting: AssetPolicySetting = try document(#"{"policy":"nightly","default":false,"relays":true}"#).decoded()
        #expect(setting.policy.rawValue == "nightly" && setting.upTo == nil && !setting.isDefault)
    }

    @Test func `each resource has one form`() throws {
        func check<Value: Codable & Equatable>(_ value: Value, _ text: String) throws {
            #expect(try JSONValue(encoding: value).encodedText == text)
            #expect(try document(text).decoded(as: Value.self) == value)
        }
        let time = Date(milliseconds: 0)
        let asset = Asset(
            asset: "a",
            zone: "z",
            record: "r",
            field: "f",
            item: 2,
            size: 9,
            mediaType: "text/plain",
            name: "n",
            modifiedAt: time,
            state: .partial,
            percent: 40
        )
        let shown =
            #"{"asset":"a","zone":"z","record":"r","field":"f","item":2,"size":9,"media_type":"text/plain","#
            + #""name":"n","modified_at":"1970-01-01T00:00:00.000Z","state":"partial","percent":40}"#
        try check(asset, shown)
        try check(AssetPage(assets: [asset], cursor: "c"), #"{"assets":[\#(shown)],"cursor":"c"}"#)
        try check(AssetPage(assets: []), #"{"assets":[]}"#)
        let copies = AssetCopies(machines: 2, relays: 1, holders: [.init(device: "d", statedAt: time)])
        let shownCopies =
            #"{"machines":2,"relays":1,"holders":[{"device":"d","stated_at":"1970-01-01T00:00:00.000Z"}]}"#
        try check(copies, shownCopies)
        var copied = asset
        copied.copies = copies
        try check(copied, String(shown.dropLast()) + #","copies":\#(shownCopies)}"#)
        try check(UploadedAsset(asset: "a", zone: "z", size: 9), #"{"asset":"a","zone":"z","size":9}"#)
        try check(
            AssetPolicySetting(policy: .upTo, upTo: 5, isDefault: false),
            #"{"policy":"up_to","up_to":5,"default":false,"relays":true}"#
        )
        try check(
            AssetPolicySetting(policy: .always, isDefault: true),
            #"{"policy":"always","default":true,"relays":true}"#
        )
        try check(
            AssetExplanation(
                asset: "a",
                size: 9,
                state: .remote,
                percent: 0,
                places: [.init(zone: "z", record: "r", field: "f")],
                reasons: ["No."],
                fix: ""
            ),
            #"{"asset":"a","size":9,"state":"remote","percent":0,"places":[{"zone":"z","record":"r","field":"f"}],"#
                + #""reasons":["No."],"fix":""}"#
        )
        let holder = AssetHolder(device: "d", account: "a", answer: .promised, until: time)
        let shownHolder = #"{"device":"d","account":"a","answer":"promised","until":"1970-01-01T00:00:00.000Z"}"#
        try check(holder, shownHolder)
        try check(
            AssetHolder(device: "d", account: "a", answer: .absent),
            #"{"device":"d","account":"a","answer":"absent"}"#
        )
        try check(
            AssetEviction(asset: "a", state: .evicted, freed: 9, holders: [holder]),
            #"{"asset":"a","state":"evicted","freed":9,"holders":[\#(shownHolder)]}"#
        )
        try check(
            AssetExplanation(
                asset: "a",
                size: 9,
                state: .present,
                percent: 100,
                places: [],
                reasons: [],
                fix: "",
                promisedUntil: time,
                holders: [holder]
            ),
            #"{"asset":"a","size":9,"state":"present","percent":100,"places":[],"reasons":[],"fix":"","#
                + #""holders":[\#(shownHolder)],"promised_until":"1970-01-01T00:00:00.000Z"}"#
        )
        try check(
            AssetCollection(
                assets: [.init(asset: "a", size: 9, since: time, until: time)],
                bytes: 9,
                dropped: 1
            ),
            #"{"assets":[{"asset":"a","size":9,"since":"1970-01-01T00:00:00.000Z","until":"1970-01-01T00:00:00.000Z"}],"#
                + #""bytes":9,"dropped":1}"#
        )
    }

    @Test func `a change of an asset is an event of its own`() throws {
        let event: DaemonEvent = try document(
            #"{"event":"asset","number":4,"token":"t","zone":"z","asset":"a","state":"present","percent":100}"#
        )
        .decoded()
        guard case .asset(let change) = event.kind else {
            Issue.record("it is another event")
            return
        }
        #expect(change == AssetChange(zone: "z", asset: "a", state: .present, percent: 100))
        #expect(event.number == 4 && event.token == "t")
    }
}
