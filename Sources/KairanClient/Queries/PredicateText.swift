import FoundationEssentials

/// The text of a predicate under construction, with the state needed to insert values into it.
///
/// It works on bytes: a combining mark behind a quotation mark makes one `Character` of both, and would hide it.
struct PredicateText: Sendable, Hashable {
    /// The text so far.
    private(set) var text = ""
    /// The reason why the text cannot be a predicate; `nil` while it may be one.
    private(set) var misfit: String?
    /// Between which marks the text ends.
    private var mark: UInt8?
    /// Whether the text ends within an escape.
    private var isEscape = false
    /// Open parentheses.
    private var depth = 0
    /// Whether the text ends with a value, which nothing may be glued to.
    private var endsWithValue = false

    // MARK: Literal parts

    mutating func append(grammar: String) {
        guard let first = grammar.utf8.first else { return }
        if endsWithValue, Self.isGlue(first) { text += " " }
        endsWithValue = false
        for byte in grammar.utf8 { read(byte) }
        text += grammar
    }

    private mutating func read(_ byte: UInt8) {
        if isEscape {
            isEscape = false
        } else if let mark {
            if byte == UInt8(ascii: "\\") { isEscape = true }
            if byte == mark { self.mark = nil }
        } else {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"): mark = byte
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"):
                depth -= 1
                if depth < 0 { fail("it closes a parenthesis that is not open") }
            default: break
            }
        }
    }

    // MARK: Values

    mutating func append(_ value: RecordValue) {
        if mark == nil {
            guard let literal = literal(value) else { return }
            append(token: literal)
        } else if isEscape {
            fail("a value follows a backslash")
        } else if case .string(let text) = value {
            self.text += Self.escaped(text)
        } else {
            fail("\(value.kindName) stands between quotation marks, where only text may")
        }
    }

    mutating func append(_ values: [RecordValue]) {
        guard mark == nil else { return fail("several values stand between quotation marks") }
        guard !values.isEmpty else { return fail("a list of values is empty, so nothing could be found") }
        let literals = values.compactMap { literal($0) }
        append(token: "(" + literals.joined(separator: ", ") + ")")
    }

    mutating func append(field name: String) {
        guard mark == nil else { return fail("a field stands between quotation marks") }
        append(token: "`" + Self.escaped(name) + "`")
    }

    mutating func append(_ part: PredicateText) {
        if let misfit = part.misfit { fail(misfit) }
        guard mark == nil else { return fail("a predicate stands between quotation marks") }
        guard part.mark == nil, part.depth == 0 else {
            return fail("a part of it lacks a quotation mark or a parenthesis")
        }
        append(token: "(" + part.text + ")")
    }

    private mutating func append(token: String) {
        // A number behind a digit would be another number, a word behind a letter another word.
        if let last = text.utf8.last, Self.isGlue(last) { text += " " }
        text += token
        endsWithValue = true
    }

    private static func isGlue(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "+"), UInt8(ascii: "@"):
            true
        default: false
        }
    }

    /// Returns the text of a value where one may stand.
    private mutating func literal(_ value: RecordValue) -> String? {
        switch value {
        case .string(let text): return Self.quoted(text)
        case .integer(let number), .counter(let number): return number.description
        case .double(let number) where number.isFinite: return number.description
        case .bool(let flag): return flag.description
        case .date(let date):
            return "date(\(Self.quoted(RFC3339.text(milliseconds: date.roundedMilliseconds))))"
        case .bytes(let bytes): return "bytes(\(Self.quoted(Data(bytes).base64EncodedString())))"
        case .reference(let zone, let record):
            return "reference(\(([record] + (zone.map { [$0] } ?? [])).map(Self.quoted).joined(separator: ", ")))"
        case .anchor(let record): return "reference(\(Self.quoted(record)))"
        case .null: fail("it compares with null, for which there is `is null`")
        default: fail("it compares with \(value.kindName), which no predicate can name")
        }
        return nil
    }

    private static func quoted(_ text: String) -> String { "\"" + escaped(text) + "\"" }

    /// A text that ends no quotation, between whichever marks it stands.
    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"):
                bytes += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case UInt8(ascii: "\r"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
            case UInt8(ascii: "\t"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Only the first reason is reported.
    private mutating func fail(_ reason: String) { misfit = misfit ?? reason }
}
