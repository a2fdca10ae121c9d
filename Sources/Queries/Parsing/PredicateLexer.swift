/// Cuts a predicate into words.
struct PredicateLexer {
    private let bytes: [UInt8]
    private var offset = 0

    /// Begins at the beginning.
    /// - Throws: When the text is too long.
    init(_ text: String) throws(PredicateError) {
        guard text.utf8.count <= QueryLimits.textByteCountMax else {
            throw PredicateError(
                offset: 0,
                column: 1,
                found: "a text of \(text.utf8.count) bytes",
                expected: "at most \(QueryLimits.textByteCountMax)"
            )
        }
        bytes = Array(text.utf8)
    }

    /// The words that mean something; a field of such a name stands between backquotes.
    static let reserved: Set<String> = [
        "and", "or", "not", "in", "begins", "with", "contains", "between", "near", "matches", "exists", "is", "null",
        "true", "false",
    ]

    /// Whether a field's name needs no backquotes.
    static func isBare(_ name: String) -> Bool {
        guard let first = name.utf8.first, isWordStart(first), name.utf8.allSatisfy(isWordPart) else { return false }
        return !reserved.contains(name.lowercased())
    }

    private static func isWordStart(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isWordPart(_ byte: UInt8) -> Bool { isWordStart(byte) || isDigit(byte) }

    /// An error at a place.
    func error(at offset: Int, found: String, expected: String) -> PredicateError {
        let column = 1 + bytes[..<offset].count { $0 & 0xC0 != 0x80 }
        return PredicateError(offset: offset, column: column, found: found, expected: expected)
    }

    /// Returns a token's text, shortened, for people.
    func excerpt(_ token: PredicateToken) -> String {
        guard token.kind != .end else { return "the end" }
        let text = String(decoding: bytes[token.offset..<token.end], as: UTF8.self)
        return text.unicodeScalars.count <= 40
            ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(40))) + "…"
    }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// Returns the next word; at the end, returns the end again and again.
    mutating func next() throws(PredicateError) -> PredicateToken {
        while let byte = current, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { offset += 1 }
        let start = offset
        let kind = try kind()
        return PredicateToken(kind: kind, offset: start, end: offset)
    }

    private mutating func kind() throws(PredicateError) -> PredicateToken.Kind {
        guard let byte = current else { return .end }
        switch byte {
        case UInt8(ascii: "("): return single(.open)
        case UInt8(ascii: ")"): return single(.close)
        case UInt8(ascii: ","): return single(.comma)
        case UInt8(ascii: "="): return comparison(.equal, followedByEqual: .equal)
        case UInt8(ascii: "<"): return comparison(.less, followedByEqual: .atMost)
        case UInt8(ascii: ">"): return comparison(.greater, followedByEqual: .atLeast)
        case UInt8(ascii: "!"):
            guard offset + 1 < bytes.count, bytes[offset + 1] == UInt8(ascii: "=") else { throw stray() }
            return comparison(.notEqual, followedByEqual: .notEqual)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try quoted(byte))
        case UInt8(ascii: "`"): return .quotedField(try quoted(byte))
        case UInt8(ascii: "@"):
            offset += 1
            return .systemField(word())
        case UInt8(ascii: "-"): return try number()
        case _ where Self.isDigit(byte): return try number()
        case _ where Self.isWordStart(byte): return .word(word())
        default: throw stray()
        }
    }

    private mutating func single(_ kind: PredicateToken.Kind) -> PredicateToken.Kind {
        offset += 1
        return kind
    }

    private mutating func comparison(_ alone: Comparison, followedByEqual: Comparison) -> PredicateToken.Kind {
        offset += 1
        guard current == UInt8(ascii: "=") else { return .comparison(alone) }
        offset += 1
        return .comparison(followedByEqual)
    }

    private mutating func word() -> String {
        let start = offset
        while let byte = current, Self.isWordPart(byte) { offset += 1 }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func number() throws(PredicateError) -> PredicateToken.Kind {
        let start = offset
        if current == UInt8(ascii: "-") { offset += 1 }
        skipDigits()
        var isWhole = true
        if current == UInt8(ascii: ".") {
            isWhole = false
            offset += 1
            skipDigits()
        }
        if let byte = current, byte | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            offset += 1
            if current == UInt8(ascii: "-") || current == UInt8(ascii: "+") { offset += 1 }
            skipDigits()
        }
        // Letters and dots directly behind a number do not begin another word.
        while let byte = current, Self.isWordPart(byte) || byte == UInt8(ascii: ".") { offset += 1 }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        let token = PredicateToken(kind: .integer(0), offset: start, end: offset)
        if isWhole, let number = Int64(text) { return .integer(number) }
        guard !isWhole, let number = Double(text), number.isFinite, text.utf8.last.map(Self.isDigit) ?? false else {
            throw error(
                at: start,
                found: excerpt(token),
                expected: "a whole number of 64 bits or a finite decimal one"
            )
        }
        return .double(number)
    }

    private mutating func skipDigits() {
        while let byte = current, Self.isDigit(byte) { offset += 1 }
    }

    /// A text between two equal marks, without its escapes.
    private mutating func quoted(_ mark: UInt8) throws(PredicateError) -> String {
        let start = offset
        offset += 1
        var content: [UInt8] = []
        while let byte = current {
            offset += 1
            switch byte {
            case mark: return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"): content += try escape()
            default: content.append(byte)
            }
        }
        let kind = mark == UInt8(ascii: "`") ? "a field's name" : "a string"
        throw error(at: start, found: "\(kind) without an end", expected: "its closing mark")
    }

    private mutating func escape() throws(PredicateError) -> [UInt8] {
        let start = offset - 1
        guard let byte = current else { return [] }
        offset += 1
        switch byte {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"): return [byte]
        case UInt8(ascii: "u"):
            if let scalar = scalar() { return Array(String(Character(scalar)).utf8) }
        default: break
        }
        throw error(
            at: start,
            found: "an unknown escape",
            expected: "one of \\\\ \\\" \\' \\` \\n \\r \\t and \\u{hexadecimal digits}"
        )
    }

    /// `{`, one to six hexadecimal digits, `}`.
    private mutating func scalar() -> Unicode.Scalar? {
        guard current == UInt8(ascii: "{"), let close = bytes[offset...].prefix(8).firstIndex(of: UInt8(ascii: "}"))
        else { return nil }
        let digits = String(decoding: bytes[(offset + 1)..<close], as: UTF8.self)
        guard digits.utf8.first != UInt8(ascii: "+"), let value = UInt32(digits, radix: 16) else { return nil }
        offset = close + 1
        return Unicode.Scalar(value)
    }

    /// Something that begins no word.
    private func stray() -> PredicateError {
        let rest = String(decoding: bytes[offset...].prefix(4), as: UTF8.self)
        let shown = rest.unicodeScalars.first.map { String(Character($0)) } ?? ""
        return error(at: offset, found: shown, expected: "a field, a value, an operator or a parenthesis")
    }
}
