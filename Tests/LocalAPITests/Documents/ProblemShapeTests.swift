import KairanClient
import Node
import Testing
import Wire

@testable import LocalAPI

/// The facts of errors, compared with the schema `Problem` of the description.
@Suite struct `The documents of errors` {
    private let schema: DescribedSchema

    init() throws {
        schema = try DescribedSchema("Problem", in: OpenAPIDocument.text)
    }

    /// One fact of each kind; `members` names the kinds that are missing here.
    private static let facts: [ErrorFact] = [
        .field("writes[3].name"), .limit(1_000), .currentVersion(""), .currentType("Note"), .record("n1"), .index(0),
        .becauseOf(2),
        .violations([
            SchemaViolationStatus(field: nil, rule: "undeclared_type", found: "nothing"),
            SchemaViolationStatus(field: "count", rule: "kind", found: "string of 3"),
        ]),
        .differences([
            SchemaDifferenceStatus(type: "", field: nil, aspect: "type", change: "removed", refusal: "why"),
            SchemaDifferenceStatus(type: "a", field: "b", aspect: "kind", change: "changed", refusal: nil),
        ]),
        .accounts(["a", "b"]), .zones([]), .sides(["x-1"]), .account("a"), .kind(.accountChanged), .reason("moved"),
        .state("spent"), .needed("write"), .aspect("depth"), .validFrom(milliseconds: 1_700_000_000_123),
        .expiredAt(milliseconds: 5), .position(0), .found("="), .expected("a value"), .line(1), .column(1), .offset(0),
        .allow(["GET", "PUT"]), .retryAfter(milliseconds: 1), .size(1 << 30),
        .holders([
            AssetHolderView(device: .zero, account: .zero, answer: .promised, until: 1_700_000_000_123),
            AssetHolderView(device: .zero, account: .zero, answer: .silent),
        ]),
        .promisedUntil(milliseconds: 7),
    ]

    @Test(arguments: facts) func `each fact has the form that the description gives it`(fact: ErrorFact) throws {
        let document = ProblemDocument(NodeError(.invalidArgument, "no", fix: "none", facts: [fact])).json
        #expect(try schema.mistakes(in: document, isClosed: true) == [])
        // A fact is text exactly where the description says so.
        let value = try #require(document[fact.member.name])
        #expect(try !schema.mistakes(in: .object(standard + [JSONMember(fact.member.name, wrong(value))])).isEmpty)
    }

    @Test func `no member is described that no error has, and none twice`() {
        let names = Self.facts.map(\.member.name)
        #expect(Set(names).count == names.count)
        let fromRecords = ["current", "ancestor", "deleted_at", "deleted_by", "sent", "results"]
        #expect(Set(schema.memberNames) == Set(names + fromRecords + standard.map(\.name)))
    }

    @Test(arguments: NodeError.Code.allCases) func `the document of each code is as described`(
        code: NodeError.Code
    ) throws {
        let document = ProblemDocument(NodeError(code, "no", fix: "none", facts: Self.facts)).json
        #expect(try schema.mistakes(in: document, isClosed: true) == [])
    }

    @Test(arguments: RequestError.Code.allCases) func `and that of each code of the interface itself`(
        code: RequestError.Code
    ) throws {
        let document = ProblemDocument(RequestError(code, "no", fix: "none", facts: Self.facts)).json
        #expect(try schema.mistakes(in: document, isClosed: true) == [])
    }

    @Test func `the client library reads every member for which it has a property`() throws {
        let document = ProblemDocument(NodeError(.schemaViolation, "no", fix: "none", facts: Self.facts)).json
        let problem: Problem = try DaemonClient.decode(document.encoded)
        #expect(problem.field == "writes[3].name" && problem.limit == 1_000 && problem.currentVersion == "")
        #expect(problem.record == "n1" && problem.index == 0 && problem.retryAfterMilliseconds == 1)
        #expect(problem.holders?.map(\.answer) == [.promised, .silent] && problem.promisedUntil != nil)
        #expect(problem.size == 1 << 30 && problem.differences?.map(\.refused) == [true, false])
        #expect(problem.violations?.map(\.rule) == [.undeclaredType, .kind])
        #expect(problem.violations?.map(\.field) == [nil, "count"])
    }

    @Test func `a refusal that shows records has them, or null where there are none`() async throws {
        try await BadInputAsker.withNode { asker in
            let schema = try DescribedSchema("Problem", in: OpenAPIDocument.text)
            let stale = String(repeating: "0", count: 32)
            let put = BadInputRow("PUT /v1/zones/{zone}/records/{name}")
            let delete = BadInputRow("DELETE /v1/zones/{zone}/records/{name}")
            let batch = BadInputRow("POST /v1/zones/{zone}/batch")
            let named = #"{"if_version":"\#(stale)"}"#
            let writes = #"{"writes":[{"name":"a"},{"name":"n1","if_version":"\#(stale)"}]}"#
            let record = ["current", "ancestor", "sent"]
            let refusals = [
                (try await asker.ask(put, body: named), record),
                (try await asker.ask(put, naming: ["name": "none"], body: named), record),
                (try await asker.ask(put, body: #"{"if_version":""}"#), record),
                (
                    try await asker.ask(delete, naming: ["name": "none"], query: "?if_version=\(stale)"),
                    record.dropLast()
                ),
                (try await asker.ask(batch, body: writes), record + ["results", "index"]),
            ]
            for (answer, members) in refusals {
                #expect(answer.status == 409, "\(answer.text)")
                #expect(try schema.mistakes(in: answer.json, isClosed: true) == [], "\(answer.text)")
                #expect(members.allSatisfy { answer.json[$0] != nil }, "\(answer.text)")
            }
        }
    }

    private let standard: [JSONMember] = [
        JSONMember("type", "t:x"), JSONMember("title", "x"), JSONMember("status", 400), JSONMember("code", "x"),
        JSONMember("detail", "x"), JSONMember("fix", "x"), JSONMember("retryable", false),
    ]

    /// Returns a value of another type: text in place of another type, and a number in place of text.
    private func wrong(_ value: JSONValue) -> JSONValue { value.text == nil ? "0" : 0 }
}
