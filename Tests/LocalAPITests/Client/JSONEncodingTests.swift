import FoundationEssentials
import KairanClient
import Testing

@Suite struct `The JSON of a resource` {
    private struct Inner: Codable, Hashable, SparseResource {
        var flag: Bool?
        var count: Int?
        static let sparseMembers: Set<String> = ["count"]
    }

    private struct Outer: Codable, Hashable {
        var text: String?
        var flag: Bool?
        var number: Double?
        var small: UInt8?
        var large: UInt64
        var time: Date?
        var data: Data?
        var inner: Inner?
        var list: [Inner?]
        var byName: [String: Int]?
        var value: RecordValue?

        enum CodingKeys: String, CodingKey {
            case value
            case byName = "by_name"
            case list, inner, data, time, large, small, number, flag, text
        }
    }

    private let empty = Outer(large: 0, list: [])
    private let full = Outer(
        text: "é",
        flag: false,
        number: 0.5,
        small: 255,
        large: 7,
        time: Date(timeIntervalSince1970: 1.125),
        data: Data([0, 255]),
        inner: Inner(flag: true, count: 1),
        list: [nil, Inner(count: 2)],
        byName: ["a": 1],
        value: .integer(1 << 60)
    )

    @Test func `has its members in the order of the coding keys`() throws {
        let names = try JSONValue(encoding: full).members?.map(\.name)
        #expect(
            names == ["value", "by_name", "list", "inner", "data", "time", "large", "small", "number", "flag", "text"]
        )
        #expect(
            try JSONValue(encoding: full).encodedText
                == #"{"value":{"$int64":"1152921504606846976"},"by_name":{"a":1},"list":[null,{"flag":null,"count":2}],"#
                + #""inner":{"flag":true,"count":1},"data":"AP8=","time":"1970-01-01T00:00:01.125Z","large":7,"#
                + #""small":255,"number":0.5,"flag":false,"text":"é"}"#
        )
    }

    @Test func `is null where a member of any type has no value`() throws {
        #expect(
            try JSONValue(encoding: empty).encodedText
                == #"{"value":null,"by_name":null,"list":[],"inner":null,"data":null,"time":null,"large":0,"small":null,"#
                + #""number":null,"flag":null,"text":null}"#
        )
    }

    @Test func `lacks the members without a value that its type leaves out, and no member of another type`() throws {
        var resource = full
        resource.inner = Inner()
        let json = try JSONValue(encoding: resource)
        #expect(json["inner"] == ["flag": .null])
        #expect(json["list"] == [.null, ["flag": .null, "count": 2]])
    }

    @Test func `lacks the members without a value that the caller leaves out, at any depth`() throws {
        var resource = full
        resource.text = nil
        resource.inner = Inner()
        let json = try JSONValue(encoding: resource, leavingOut: ["flag", "text"])
        #expect(json["inner"] == .object([]) && json["flag"] == false)
        #expect(json.members?.contains { $0.name == "text" } == false)
        #expect(json["list"] == [.null, ["count": 2]])
    }

    @Test func `is read back as the same resource`() throws {
        for resource in [empty, full] {
            let read: Outer = try DaemonClient.decode(JSONValue(encoding: resource).encoded)
            #expect(read == resource)
        }
    }

    @Test func `has the largest number in place of one beyond 64 bits with a sign`() throws {
        var resource = empty
        resource.large = .max
        #expect(try JSONValue(encoding: resource)["large"] == .integer(.max))
        #expect(try JSONValue(encoding: [Double.nan, -.infinity, 3, 0.25]) == ["NaN", "-Infinity", 3, 0.25])
    }

    @Test func `keeps both of two names that only look alike`() throws {
        let fields: NameDictionary<RecordValue> = ["\u{e9}": 1, "e\u{301}": 2]
        let json = try JSONValue(encoding: fields)
        #expect(json.members?.count == 2)
        let read: NameDictionary<RecordValue> = try DaemonClient.decode(json.encoded)
        #expect(read == fields)
    }

    @Test func `has what its own encoding nests, and what it adds after another resource's members`() throws {
        struct Nested: Encodable {
            enum Key: String, CodingKey { case object, array, parent, end }

            func encode(to encoder: any Encoder) throws {
                try Inner(flag: true, count: nil).encode(to: encoder)
                var container = encoder.container(keyedBy: Key.self)
                var object = container.nestedContainer(keyedBy: Key.self, forKey: .object)
                var array = container.nestedUnkeyedContainer(forKey: .array)
                try "p".encode(to: container.superEncoder(forKey: .parent))
                try container.encode(1, forKey: .end)
                try object.encodeNil(forKey: .end)
                try array.encodeNil()
                try array.encode("a")
                var inner = array.nestedContainer(keyedBy: Key.self)
                try inner.encode(true, forKey: .end)
                var list = array.nestedUnkeyedContainer()
                try list.encode(2)
                #expect(array.count == 4)
            }
        }
        #expect(
            try JSONValue(encoding: Nested()).encodedText
                == #"{"flag":true,"count":null,"object":{"end":null},"array":[null,"a",{"end":true},[2]],"parent":"p","end":1}"#
        )
    }
}
