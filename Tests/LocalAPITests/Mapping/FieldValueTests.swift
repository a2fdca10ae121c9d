import FoundationEssentials
import KairanClient
import Node
import TestSupport
import Testing
import Wire

@testable import LocalAPI

@Suite struct `Field values in JSON` {
    private static let assetText = FakeNode.assetID.text

    private func read(_ text: String) throws -> FieldValue {
        try FieldValue(interfaceJSON: JSONParser.parse(Array(text.utf8)), at: "fields.f")
    }

    @Test(arguments: [
        ("\"text\"", FieldValue.string("text")), ("1", .int64(1)), ("-9223372036854775808", .int64(.min)),
        ("1.0", .double(1)), ("1e3", .double(1000)), ("9223372036854775807", .int64(.max)),
        ("true", .bool(true)), ("null", .null), ("[1,[2.5]]", .list([.int64(1), .list([.double(2.5)])])),
        (#"{"$int64":"9223372036854775807"}"#, .int64(.max)), (#"{"$double":3}"#, .double(3)),
        (#"{"$double":"-Infinity"}"#, .double(-.infinity)), (#"{"$double":"NaN"}"#, .double(.nan)),
        (#"{"$double":-0.0}"#, .double(-0.0)), (#"{"$bytes":"AP8="}"#, .bytes([0, 255])),
        (#"{"$date":"1970-01-01T00:00:00.001Z"}"#, .date(milliseconds: 1)),
        (#"{"$date":"1970-01-01T02:00:00+02:00"}"#, .date(milliseconds: 0)),
        (#"{"$location":{"latitude":48.5,"longitude":-9}}"#, .location(latitude: 48.5, longitude: -9)),
        (#"{"$reference":{"record":"n"}}"#, .reference(zone: nil, record: "n")),
    ])
    func `each form is read as its kind`(text: String, value: FieldValue) throws {
        #expect(try read(text) == value)
    }

    @Test(arguments: [
        (FieldValue.int64(1 << 53), "9007199254740992"), (.int64(1 << 53 + 1), #"{"$int64":"9007199254740993"}"#),
        (.int64(.min), #"{"$int64":"-9223372036854775808"}"#), (.double(0.5), "0.5"), (.double(3), #"{"$double":3}"#),
        (.double(1e16), #"{"$double":1e+16}"#), (.double(.nan), #"{"$double":"NaN"}"#),
        (.double(-0.0), #"{"$double":-0.0}"#), (.bytes([]), #"{"$bytes":""}"#),
        (.date(milliseconds: .max), #"{"$date":"+292278994-08-17T07:12:55.807Z"}"#),
        (.unknown(tag: 99, bytes: [1]), #"{"$unknown":{"tag":"99","bytes":"AQ=="}}"#),
        (
            .counter(
                CounterState(entries: [
                    .init(actor: ActorID(FakeNode.device.digest), counter: 2, total: 5),
                    .init(actor: ActorID(FakeNode.other.digest), counter: 1, total: -7),
                ])
            ), #"{"$counter":-2}"#
        ),
    ])
    func `each kind is written in its form`(value: FieldValue, text: String) {
        #expect(value.interfaceJSON.encodedText == text)
    }

    @Test(arguments: [
        "{}", #"{"a":1}"#, #"{"$date":"x","$int64":"1"}"#, #"{"$int64":1}"#, #"{"$int64":"1.0"}"#,
        #"{"$double":"nan"}"#, #"{"$double":9007199254740993}"#, #"{"$bytes":"A"}"#, #"{"$bytes":"A P8="}"#,
        #"{"$date":"2026-02-29T00:00:00Z"}"#, #"{"$date":"2026-01-01T00:00:00.0001Z"}"#, #"{"$date":"2026-01-01"}"#,
        #"{"$location":{"latitude":91,"longitude":0}}"#, #"{"$location":{"latitude":1}}"#,
        #"{"$location":{"latitude":"NaN","longitude":0}}"#, #"{"$location":{"latitude":1,"longitude":2,"z":3}}"#,
        #"{"$reference":{"record":""}}"#, #"{"$reference":{"record":"n","zone":"notes"}}"#,
        #"{"$counter":1.5}"#, #"{"$set":[1,1]}"#, #"{"$set":[[1]]}"#, #"[{"$counter":1}]"#,
        #"{"$unknown":{"tag":"99","bytes":""}}"#,
        "[[[[[[[[[1]]]]]]]]]",
    ])
    func `an invalid value is refused with its place`(text: String) throws {
        let error = #expect(throws: NodeError.self) { try read(text) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.field?.hasPrefix("fields.f") == true)
    }

    private static let wrongAssets: [String] = [
        #""x""#, "{}", #"{"asset":"x"}"#, #"{"asset":null}"#, #"{"size":1}"#,
    ]
    private static let wrongMembers: [String] = [
        #""name":"a/b""#, #""name":"..""#, #""name":".""#, #""name":"a\u0000""#, #""name":null"#, #""size":-1"#,
        #""size":"1""#, #""size":17179869184"#, #""secret":"x""#, #""modified_at":"today""#, #""modified_at":5"#,
        #""thumbnail":"A""#, #""media_type":null"#, #""root":"x""#,
    ]

    private static let wrongDescriptions = wrongAssets + wrongMembers.map { #"{"asset":"\#(assetText)",\#($0)}"# }

    @Test(arguments: wrongDescriptions)
    func `a description of an asset is read strictly`(text: String) throws {
        let error = #expect(throws: NodeError.self) { try read(#"{"$asset":\#(text)}"#) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.field?.hasPrefix("fields.f.$asset") == true)
    }

    @Test(arguments: ["name", "media_type", "thumbnail"])
    func `a description of an asset has members up to their limits`(member: String) throws {
        let count = member == "thumbnail" ? 16_384 : 255
        func value(_ count: Int) -> String {
            let isPicture = member == "thumbnail"
            let text = isPicture ? Data(count: count).base64EncodedString() : String(repeating: "n", count: count)
            return #"{"$asset":{"asset":"\#(Self.assetText)","\#(member)":"\#(text)"}}"#
        }
        _ = try read(value(count))
        let error = #expect(throws: NodeError.self) { try read(value(count + 1)) }
        #expect(error?.field == "fields.f.$asset.\(member)")
    }

    @Test func `an asset is read by its id, and as it is described`() throws {
        let bare = try read(#"{"$asset":{"asset":"\#(Self.assetText)"}}"#)
        guard case .asset(let asset) = bare else {
            Issue.record("it is of another kind")
            return
        }
        #expect(asset.payload == FakeNode.assetID && !asset.isResolved && asset.size == 0)
        #expect(asset.mediaType.isEmpty && asset.fileName.isEmpty && asset.modified == nil && asset.thumbnail.isEmpty)
        let text =
            #"{"$asset":{"asset":"\#(Self.assetText)","size":9,"media_type":"image/png","name":"a b.png","#
            + #""modified_at":"1969-12-31T23:59:59.999Z","thumbnail":"AP8="}}"#
        let whole = try read(text)
        #expect(whole.interfaceJSON.encodedText == text)
        guard case .asset(let described) = whole else {
            Issue.record("it is of another kind")
            return
        }
        #expect(described.modified == -1 && described.thumbnail == [0, 255] && described.size == 9)
        guard case .set(let set) = try read(#"{"$set":[\#(text),{"$asset":{"asset":"\#(Self.assetText)"}}]}"#) else {
            Issue.record("a set may have assets")
            return
        }
        #expect(set.entries.count == 2)
        #expect(throws: NodeError.self) { try read(#"{"$set":[\#(text),\#(text)]}"#) }
    }

    @Test func `the secret of an asset is never shown`() throws {
        let secret = try #require(AssetSecret(Array(repeating: 0xA7, count: 32)))
        let asset = AssetDescriptor(
            payload: FakeNode.assetID,
            size: 5,
            secret: secret,
            mediaType: "",
            fileName: "a",
            modified: nil,
            thumbnail: []
        )
        let text = #"{"$asset":{"asset":"\#(Self.assetText)","size":5,"name":"a"}}"#
        #expect(FieldValue.asset(asset).interfaceJSON.encodedText == text)
        #expect(FieldValue.list([.asset(asset)]).interfaceJSON.encodedText == "[\(text)]")
    }

    @Test func `counters and sets carry the sum and the elements that are wanted`() throws {
        guard case .counter(let counter) = try read(#"{"$counter":-7}"#),
            case .set(let set) = try read(#"{"$set":["b","a"]}"#)
        else {
            Issue.record("they are of other kinds")
            return
        }
        #expect(counter.value == -7 && counter.entries.map(\.actor) == [.zero])
        #expect(set.entries.map(\.element) == [.string("a"), .string("b")])
        #expect(set.entries.allSatisfy { $0.dots == [FieldValue.writer] })
    }

    @Test(arguments: 0..<200) func `reading written bytes returns the value`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let value = Self.value(depth: 0, using: &generator)
        let text = value.interfaceJSON.encodedText
        #expect(try read(text) == value, "seed \(seed): \(text)")
        // The client library must understand the same text, and repeat it.
        let json = try JSONParser.parse(Array(text.utf8))
        #expect(RecordValue(json: json)?.json.encodedText == text, "seed \(seed)")
    }

    private static func value(depth: Int, using generator: inout SeededGenerator) -> FieldValue {
        switch Int.random(in: (depth == 0 ? -1 : 0)...(depth < 4 ? 12 : 10), using: &generator) {
        case -1: return .anchor(record: text(using: &generator) + "r")
        case 0: return .null
        case 1: return .string(text(using: &generator))
        case 2: return .int64(Int64(bitPattern: generator.next() >> UInt64.random(in: 0...63, using: &generator)))
        case 3: return .double(Double(bitPattern: generator.next()))
        case 4: return .double(Double(Int.random(in: -1000...1000, using: &generator)) / 4)
        case 5: return .bool(Bool.random(using: &generator))
        case 6: return .bytes(generator.bytes(Int.random(in: 0...40, using: &generator)))
        // The client's dates count seconds in a double, which is exact to the millisecond for some 280,000 years.
        case 7: return .date(milliseconds: Int64.random(in: -(1 << 52)...(1 << 52), using: &generator))
        case 8:
            return .location(
                latitude: Double.random(in: -90...90, using: &generator),
                longitude: Double.random(in: -180...180, using: &generator)
            )
        case 9: return .reference(zone: Bool.random(using: &generator) ? FakeNode.zoneID : nil, record: "r")
        case 10: return .asset(randomAsset(using: &generator))
        default:
            let count = Int.random(in: 0...4, using: &generator)
            return .list((0..<count).map { _ in value(depth: depth + 1, using: &generator) })
        }
    }

    private static func randomAsset(using generator: inout SeededGenerator) -> AssetDescriptor {
        let isDated = Bool.random(using: &generator)
        return AssetDescriptor(
            payload: FakeNode.assetID,
            size: UInt64.random(in: 0...AssetDescriptor.sizeMax, using: &generator),
            secret: .unknown,
            mediaType: text(using: &generator),
            fileName: fileName(using: &generator),
            modified: isDated ? Int64.random(in: -(1 << 52)...(1 << 52), using: &generator) : nil,
            thumbnail: generator.bytes(Int.random(in: 0...40, using: &generator))
        )
    }

    private static func fileName(using generator: inout SeededGenerator) -> String {
        let scalars = text(using: &generator).unicodeScalars.filter { $0 != "/" && $0 != "\u{0}" }
        return String(String.UnicodeScalarView(scalars))
    }

    private static func text(using generator: inout SeededGenerator) -> String {
        let alphabet: [Unicode.Scalar] = [
            "a", "\"", "\\", "\n", "\u{0}", "\u{1F}", "\u{7F}", "é", "\u{301}", "😀", "\u{2028}", "/",
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...20, using: &generator) {
            text.append(alphabet[Int.random(in: 0..<alphabet.count, using: &generator)])
        }
        return String(text)
    }
}
