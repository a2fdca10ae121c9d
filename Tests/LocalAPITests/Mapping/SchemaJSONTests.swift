import KairanClient
import Node
import Testing
import Wire

@testable import LocalAPI

@Suite struct `Schemas in JSON` {
    private func read(_ text: String) throws -> Schema {
        try Schema(interfaceJSON: JSONParser.parse(Array(text.utf8)))
    }

    private func refusedPath(_ field: String) throws -> String? {
        do {
            _ = try read(#"{"types":{"t":{"fields":{"f":"# + field + "}}}}")
            return nil
        } catch let error as NodeError {
            #expect(error.code == .invalidArgument)
            return error.field
        }
    }

    @Test func `are read as they are shown`() throws {
        let shown = FakeNode.schema.interfaceJSON
        #expect(try Schema(interfaceJSON: shown) == FakeNode.schema)
        #expect(try read(String(decoding: shown.encoded, as: UTF8.self)) == FakeNode.schema)
        #expect(try read("{}") == Schema())
    }

    @Test func `have a policy for each type, of which only the unusual one is shown`() throws {
        let schema = try read(#"{"types":{"a":{"conflicts":"latest"},"b":{"conflicts":"keep"}}}"#)
        #expect(schema.types.map(\.conflicts) == [.latest, .keep])
        #expect(
            String(decoding: schema.interfaceJSON.encoded, as: UTF8.self)
                == #"{"types":{"a":{"fields":{},"conflicts":"latest"},"b":{"fields":{}}}}"#
        )
        let error = #expect(throws: NodeError.self) { try read(#"{"types":{"a":{"conflicts":"first"}}}"#) }
        #expect(error?.field == "types.a.conflicts")
    }

    @Test func `accept a double without a point, and only one zero`() throws {
        let schema = try read(#"{"types":{"t":{"fields":{"f":{"kind":"double","minimum":-0.0,"maximum":2}}}}}"#)
        let field = schema.type(named: "t")?.field(named: "f")
        #expect(field?.minimum == .double(0) && field?.maximum == .double(2))
    }

    @Test func `know kinds of later versions by their tags`() throws {
        let schema = try read(#"{"types":{"t":{"fields":{"f":{"kind":"kind-77"}}}}}"#)
        #expect(schema.type(named: "t")?.field(named: "f")?.kind.tag == 77)
        #expect(try Schema(interfaceJSON: schema.interfaceJSON) == schema)
    }

    @Test(arguments: [
        (#"{}"#, "types.t.fields.f.kind"),
        (#"{"kind":"text"}"#, "types.t.fields.f.kind"),
        (#"{"kind":"kind-1"}"#, "types.t.fields.f.kind"),
        (#"{"kind":"kind-077"}"#, "types.t.fields.f.kind"),
        (#"{"kind":"string","size":1}"#, "types.t.fields.f.size"),
        (#"{"kind":"string","required":1}"#, "types.t.fields.f.required"),
        (#"{"kind":"string","minimum":1}"#, "types.t.fields.f"),
        (#"{"kind":"int64","minimum":2,"maximum":1}"#, "types.t.fields.f"),
        (#"{"kind":"double","minimum":{"$double":"NaN"}}"#, "types.t.fields.f"),
        (#"{"kind":"string","length_minimum":-1}"#, "types.t.fields.f.length_minimum"),
        (#"{"kind":"string","values":[]}"#, "types.t.fields.f.values"),
        (#"{"kind":"string","values":[1]}"#, "types.t.fields.f"),
        (#"{"kind":"int64","indexes":["text"]}"#, "types.t.fields.f"),
        (#"{"kind":"int64","indexes":["hash"]}"#, "types.t.fields.f.indexes"),
        (#"{"kind":"int64","elements":"string"}"#, "types.t.fields.f"),
        (#"{"kind":"int64","unknown":[{"tag":"x","bytes":""}]}"#, "types.t.fields.f.unknown[0]"),
        (#"{"kind":"int64","unknown":[{"tag":"1","bytes":"AA=="}]}"#, "types.t.fields.f"),
        (#"[]"#, "types.t.fields.f"),
    ])
    func `name the position of an error`(field: String, path: String) throws {
        #expect(try refusedPath(field) == path)
    }
}
