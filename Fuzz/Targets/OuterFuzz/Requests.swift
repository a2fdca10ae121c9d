import FuzzKit
import Node
import Wire

@testable import KairanClient
@testable import LocalAPI

private let texts = [
    #"{"name":"a","type":"note","fields":{"n":1,"d":1.5,"s":"x","l":[1,"2",null,true]},"if_version":"00"}"#,
    #"{"fields":{"b":{"$bytes":"AAEC"},"t":{"$date":"2026-07-21T09:30:00.125Z"},"r":{"$reference":{"record":"x"}}}}"#,
    #"{"fields":{"p":{"$location":{"latitude":1,"longitude":-2.5}},"c":{"$counter":3},"e":{"$set":[1,"a"]}}}"#,
    #"{"fields":{"i":{"$int64":"9223372036854775807"},"f":{"$double":"NaN"}},"remove":["x"],"replace":true}"#,
    #"{"name":"a","delete":true}"#,
    #"{"take":"0123456789abcdef0123456789abcdef"}"#,
    #"[1e308,-0,0.1,1E-5,"\u00e9\ud83c\udfee\n\"\\",{},[],[[[[[[[[1]]]]]]]]]"#,
]

/// The strict JSON reader: it writes every value that it reads, and reads it again as the same.
let jsonTarget = FuzzTarget(
    "json",
    run: { bytes in
        do throws(JSONSyntaxError) {
            let value = try JSONParser.parse(bytes)
            let written = value.encoded
            do throws(JSONSyntaxError) {
                demand(try JSONParser.parse(written) == value, "what is written is read as the same")
            } catch {
                demand(false, "what is written can be read: \(error)")
            }
        } catch {
            demand(
                (0...bytes.count).contains(error.offset) && error.line > 0 && error.column > 0,
                "the place is inside"
            )
            _ = error.description
        }
    },
    seeds: { texts.map { Array($0.utf8) } }
)

/// Bodies, paths and parameters of requests on the socket.
let requestTarget = FuzzTarget(
    "requests",
    run: { bytes in
        guard let form = bytes.first else { return }
        let rest = Array(bytes.dropFirst())
        if form % 4 == 3 {
            if let text = String(decoding: rest, as: UTF8.self).percentDecoded { _ = text.utf8.count }
            return
        }
        // Each refusal is one of the two outcomes that are allowed.
        guard let json = try? JSONParser.parse(rest) else { return }
        switch form % 4 {
        case 0: if let draft = try? RecordDraft(interfaceJSON: json) { ask(draft) }
        case 1: if let draft = try? RecordDraft(interfaceJSON: json, name: "x", at: "y[0]") { ask(draft) }
        default: _ = try? ConflictResolution(interfaceJSON: json)
        }
    },
    seeds: {
        (0..<4).flatMap { form in texts.map { [UInt8(form)] + Array($0.utf8) } } + [Array("\u{3}a%20b%C3%A9".utf8)]
    }
)

/// Checks that a program's values are returned in a form that means the same.
private func ask(_ draft: RecordDraft) {
    for (name, value) in draft.fields {
        let json = value.interfaceJSON
        _ = json.encoded
        do {
            let again = try FieldValue(interfaceJSON: json, at: name)
            demand(again == value, "a value is given back as it was written: \(json.encodedText)")
        } catch {
            demand(false, "a value that is given back can be written: \(json.encodedText)")
        }
    }
}

/// Times as text.
let timeTarget = FuzzTarget(
    "times",
    inputByteCountMax: 64,
    run: { bytes in
        if bytes.count == 9, bytes[0] == 0 {
            let number = Int64(bitPattern: bytes.dropFirst().reduce(0) { $0 << 8 | UInt64($1) })
            let text = RFC3339.text(milliseconds: number)
            demand(RFC3339.milliseconds(text) == number, "each time has a text that means it: \(text)")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let milliseconds = RFC3339.milliseconds(text) else { return }
        demand(RFC3339.milliseconds(RFC3339.text(milliseconds: milliseconds)) == milliseconds, "a time stays: \(text)")
    },
    seeds: {
        [
            "2026-07-21T09:30:00.125Z", "-000001-12-31t23:59:59+23:59", "+292278994-08-17T07:12:55.807Z",
            "1970-01-01T00:00:00.0000-00:01",
        ]
        .map { Array($0.utf8) } + [
            [0] + [UInt8](repeating: 0xFF, count: 8), [0, 0x80] + [UInt8](repeating: 0, count: 7),
        ]
    }
)

/// Lines and server-sent events, which arrive in any pieces.
let streamTarget = FuzzTarget(
    "streams",
    run: { bytes in
        guard let limit = bytes.first else { return }
        let text = Array(bytes.dropFirst())
        let whole = lines(of: text, pieces: text.count + 1, limit: 1 + Int(limit) * 16)
        let single = lines(of: text, pieces: 1, limit: 1 + Int(limit) * 16)
        if let whole, let single { demand(whole == single, "how a text is cut does not matter") }
        var events = ServerSentEvents()
        for line in single ?? [] { _ = events.event(after: line) }
    },
    seeds: {
        ["id: 4\ndata: {\"a\":1}\ndata: x\n\n:comment\r\n\r\nretry: 1\n\n", "a\nb\r\n\nc"].map {
            [255] + Array($0.utf8)
        }
    }
)

private func lines(of text: [UInt8], pieces count: Int, limit: Int) -> [[UInt8]]? {
    var splitter = LineSplitter(lineByteCountMax: limit)
    var lines: [[UInt8]] = []
    do {
        for start in stride(from: 0, to: text.count, by: count) {
            try splitter.append(text[start..<min(start + count, text.count)])
            while let line = splitter.next() { lines.append(line) }
        }
    } catch {
        return nil
    }
    splitter.finish()
    while let line = splitter.next() { lines.append(line) }
    return lines
}
