import KairanClient
import Testing

@testable import PeerControl

@Suite struct `Fields on the command line` {
    @Test(arguments: [
        (["a=b"], #"{"a":"b"}"#), (["a="], #"{"a":""}"#), (["a=b=c"], #"{"a":"b=c"}"#), (["a:=1"], #"{"a":1}"#),
        (["a:=1.0"], #"{"a":1.0}"#), (["a=:=1"], #"{"a":":=1"}"#),
        (["a b=ü", "c:=[true]"], #"{"a b":"ü","c":[true]}"#),
        ([], "{}"), (["a:b=c"], #"{"a:b":"c"}"#),
    ])
    func `text and JSON are distinguished`(arguments: [String], json: String) throws {
        #expect(JSONValue.object(try FieldArguments(arguments).fields).encodedText == json)
    }

    @Test func `additions and elements are distinguished from values`() throws {
        let arguments = ["n+=5", "m+=-5", "t+:=[\"a\"]", "t-:=[1]", "c=+", "d:=-1"]
        #expect(
            JSONValue.object(try FieldArguments(arguments).members).encodedText == """
                {"fields":{"c":"+","d":-1},"increment":{"n":5,"m":-5},"add_to":{"t":["a"]},"remove_from":{"t":[1]}}
                """
        )
    }

    @Test func `a file is distinguished from text that begins with an @`() throws {
        var arguments = try FieldArguments(["a=@lake.jpg", "b=@@lake", "c=@@", "d=x@y", "e=@-", "f:=\"@g\""])
        #expect(arguments.files == [.init(name: "a", path: "lake.jpg"), .init(name: "e", path: "-")])
        #expect(
            JSONValue.object(arguments.fields).encodedText
                == #"{"a":null,"b":"@lake","c":"@","d":"x@y","e":null,"f":"@g"}"#
        )
        arguments.set("e", to: 7)
        #expect(JSONValue.object(arguments.members).encodedText.contains(#""d":"x@y","e":7,"f":"@g""#))
        #expect(throws: (any Error).self) { try FieldArguments(["a=@"]) }
        #expect(throws: (any Error).self) { try FieldArguments(["a=@f", "a=b"]) }
    }

    @Test(arguments: [
        ["a"], ["=b"], [":=1"], ["a:="], ["a:=nope"], ["a=1", "a=2"], ["a+=x"], ["a+=1.5"], ["+=1"], ["a+=1", "a+=2"],
        ["a+:=b"], ["a:={\"b\":1,\"b\":2}"],
    ])
    func `an argument that is not a field is refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try FieldArguments(arguments) }
    }
}

@Suite struct `Records in files` {
    @Test func `a document and plain fields are distinguished`() throws {
        let document = try RecordFile(
            Array(#"{"name":"n","type":"T","fields":{"a":1.0},"version":"v"}"#.utf8),
            name: "f"
        )
        #expect(document.type == "T" && document.fields.encodedText == #"{"a":1.0}"#)
        let plain = try RecordFile(Array(#"{"fields":{"a":1},"other":2}"#.utf8), name: "f")
        #expect(plain.type == nil && plain.fields["other"] == 2)
        let text = try RecordFile(Array(#"{"fields":"text"}"#.utf8), name: "f")
        #expect(text.fields["fields"] == "text")
    }

    @Test func `writes are read line by line, without members that only exports have`() throws {
        let text = "{\"name\":\"a\",\"version\":\"v\"}\r\n\n  \n{\"name\":\"b\",\"delete\":true}"
        let writes = try RecordFile.writes(Array(text.utf8), name: "f")
        #expect(writes.map(\.encodedText) == [#"{"name":"a"}"#, #"{"name":"b","delete":true}"#])
        let error = #expect(throws: InputError.self) { try RecordFile.writes(Array("{}\n[1]".utf8), name: "f") }
        #expect(error?.detail == "Line 2 of f has an array, not an object.")
        let broken = #expect(throws: InputError.self) { try RecordFile.writes(Array("{}\n{".utf8), name: "f") }
        #expect(broken?.detail.hasPrefix("Line 2 of f is not JSON") == true)
    }

    @Test(arguments: [
        (["count=3"], #"field "count" must be an int64, and a text of 1 character was given."#, "count:=3"),
        (["text:=7"], #"field "text" must be a text, and an int64 was given."#, "text=7"),
        (["done=true", "x=1"], #"field "done" must be a bool, and a text of 4 characters was given."#, "done:=true"),
    ])
    func `of another kind than a schema wants are spelled anew`(
        arguments: [String],
        refusal: String,
        other: String
    ) throws {
        let spelling = try FieldArguments(arguments).spelling(forRefusal: refusal)
        #expect(spelling == "Use \(other): name=text sets text, name:=json any other value.")
    }

    @Test(arguments: [
        (["count=three"], #"field "count" must be an int64, and a text of 5 characters was given."#),
        (["count=3"], #"field "colour" is not declared for the type "Note", which has count."#),
        (["count=3"], #"field "counts" must be an int64, and a text of 1 character was given."#),
    ])
    func `arguments that were refused for another reason than spelling are left alone`(
        arguments: [String],
        refusal: String
    ) throws {
        #expect(try FieldArguments(arguments).spelling(forRefusal: refusal) == nil)
    }
}
