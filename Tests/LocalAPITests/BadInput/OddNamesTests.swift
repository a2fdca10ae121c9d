import HTTPTypes
import Hummingbird
import KairanClient
import Node
import Testing

@testable import LocalAPI

/// Names are bytes of UTF-8: visible characters are kept as they were typed, and two names that only look the same
/// are two.
@Suite struct `Odd names` {
    static let names = [
        " ", "a b", ".a", "..a", "/", "a/b", "%41", "?x=1#y", "+", "é", "e\u{301}", "ﬁ", "fi",
        "\u{200B}", "\u{FEFF}", "👩‍👩‍👧‍👦", "\u{10FFFF}", "\u{FFFD}", "İ", "ß", "SS", "\"", "\\",
        String(repeating: "x", count: 255), String(repeating: "🦀", count: 63) + "abc",
    ]

    /// Invisible characters, characters that turn the text around them, and names that URL clients take for a step in
    /// a path.
    static let refusedNames = ["\u{0}", "\u{7F}", "\u{202E}evil", "\r\n", "a\u{2028}b", ".", "..", "..."]

    private static func encoded(_ name: String) -> String {
        name.utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private static func bytes(_ json: JSONValue?) -> [UInt8]? {
        json?.text.map { Array($0.utf8) }
    }

    @Test(.timeLimit(.minutes(5))) func `of records come back as they were written, each its own`() async throws {
        try await BadInputAsker.withNode { asker in
            let put = try #require(BadInputRow.all.first { $0.endpoint == "PUT /v1/zones/{zone}/records/{name}" })
            let get = try #require(BadInputRow.all.first { $0.endpoint == "GET /v1/zones/{zone}/records/{name}" })
            let list = try #require(BadInputRow.all.first { $0.endpoint == "GET /v1/zones/{zone}/records" })
            for (index, name) in Self.names.enumerated() {
                let path = ["name": Self.encoded(name)]
                let written = try await asker.ask(
                    put,
                    naming: path,
                    body: "{\"fields\":{\"n\":\(index)},\"if_version\":\"\"}"
                )
                #expect(written.status == 200, "\(name.debugDescription): \(written.text)")
                let read = try await asker.ask(get, naming: path)
                #expect(Self.bytes(read.json["name"]) == Array(name.utf8), "\(name.debugDescription): \(read.text)")
                #expect(read.json["fields"]?["n"] == .integer(Int64(index)), "\(name.debugDescription)")
            }
            // Page by page, with the name of the last record as the place to go on.
            var seen: [[UInt8]] = []
            var query = "?limit=1"
            while let page = Optional(try await asker.ask(list, query: query)) {
                #expect(page.status == 200, "\(query): \(page.text)")
                seen += (page.json["records"]?.elements ?? []).compactMap { Self.bytes($0["name"]) }
                guard let next = page.json["next"]?.text else { break }
                query = "?limit=1&after=\(Self.encoded(next))"
            }
            let all = (Self.names + ["n1"]).map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
            #expect(seen == all)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `with invisible characters are refused`() async throws {
        try await BadInputAsker.withNode { asker in
            let put = try #require(BadInputRow.all.first { $0.endpoint == "PUT /v1/zones/{zone}/records/{name}" })
            let post = try #require(BadInputRow.all.first { $0.endpoint == "POST /v1/zones" })
            for name in Self.refusedNames {
                let record = try await asker.ask(put, naming: ["name": Self.encoded(name)], body: "{}")
                #expect(record.code == "invalid_argument", "\(name.debugDescription): \(record.text)")
                let text = BadInputAsker.text(.string(name))
                let zone = try await asker.ask(post, body: "{\"name\":\(text),\"container\":\"c\"}")
                #expect(zone.code == "invalid_argument", "\(name.debugDescription): \(zone.text)")
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `of zones come back as they were written`() async throws {
        try await BadInputAsker.withNode { asker in
            let post = try #require(BadInputRow.all.first { $0.endpoint == "POST /v1/zones" })
            let get = try #require(BadInputRow.all.first { $0.endpoint == "GET /v1/zones/{zone}" })
            for (index, name) in Self.names.enumerated() {
                let body = "{\"name\":\(BadInputAsker.text(.string(name))),\"container\":\"org.a-\(index)_\"}"
                let made = try await asker.ask(post, body: body)
                guard !name.utf8.contains(UInt8(ascii: "/")) else {
                    #expect(made.code == "invalid_argument", "\(name.debugDescription): \(made.text)")
                    continue
                }
                #expect(made.status == 201, "\(name.debugDescription): \(made.text)")
                let read = try await asker.ask(get, naming: ["zone": Self.encoded(name)])
                #expect(Self.bytes(read.json["name"]) == Array(name.utf8), "\(name.debugDescription): \(read.text)")
                #expect(read.json["zone"] == made.json["zone"], "\(name.debugDescription)")
                let path = try await asker.ask(get, naming: ["zone": Self.encoded("org.a-\(index)_/" + name)])
                #expect(path.json["zone"] == made.json["zone"], "\(name.debugDescription)")
                let again = try await asker.ask(post, body: body)
                #expect(again.code == "zone.exists", "\(name.debugDescription): \(again.text)")
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `of containers are ASCII`() async throws {
        try await BadInputAsker.withNode { asker in
            let post = try #require(BadInputRow.all.first { $0.endpoint == "POST /v1/zones" })
            for name in Self.names where name != "SS" && name != "fi" && name.utf8.count != 255 {
                let container = BadInputAsker.text(.string(name))
                for rest in ["\"name\":\"n\"", "\"default\":true"] {
                    let made = try await asker.ask(post, body: "{\(rest),\"container\":\(container)}")
                    #expect(made.code == "invalid_argument", "\(name.debugDescription): \(made.text)")
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `of existing records with dots are read and deleted by names in a body`()
        async throws
    {
        try await BadInputAsker.withNode { asker in
            let fetch = try #require(BadInputRow.all.first { $0.endpoint == "POST /v1/zones/{zone}/fetch" })
            let batch = try #require(BadInputRow.all.first { $0.endpoint == "POST /v1/zones/{zone}/batch" })
            // No such record exists: the name is understood, and looked up.
            let read = try await asker.ask(fetch, body: "{\"names\":[\"..\"]}")
            #expect(read.json["results"]?.elements?.first?["code"] == "record.unknown", "\(read.text)")
            let deletion = "{\"atomic\":false,\"writes\":[{\"name\":\"..\",\"delete\":true}]}"
            let deleted = try await asker.ask(batch, body: deletion)
            #expect(deleted.json["results"]?.elements?.first?["code"] == "record.unknown", "\(deleted.text)")
        }
    }
}
