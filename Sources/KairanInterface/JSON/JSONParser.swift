/// Reads one JSON text (RFC 8259), strictly.
///
/// Beyond the grammar it refuses input that would lose information or is certainly a mistake: a duplicate member
/// name, text that is not UTF-8, half of a surrogate pair, a whole number beyond 64 bits, any other beyond a double's
/// range, more than ``depthMax`` levels, and anything but white space behind the text. Names are compared byte by
/// byte, so two spellings that only look the same stay two names.
package struct JSONParser {
    /// The maximum nesting of arrays and objects.
    ///
    /// Field values allow 8 levels; the rest is room for the envelope.
    package static let depthMax = 64

    private let bytes: [UInt8]
    private var offset = 0
    private var depth = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads a text that fills the bytes.
    /// - Parameter bytes: The text in UTF-8, with white space around it allowed.
    /// - Returns: Its value.
    /// - Throws: ``JSONSyntaxError`` with the place of the first mistake.
    /// - Complexity: O(bytes), with O(n log n) for an object of n members.
    package static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
        var parser = JSONParser(bytes)
        parser.skipSpace()
        let value = try parser.value()
        parser.skipSpace()
        guard parser.offset == bytes.count else { throw parser.error("unexpected text after the value") }
        return value
    }

    private func error(_ reason: String, at place: Int? = nil) -> JSONSyntaxError {
        JSONSyntaxError(offset: min(place ?? offset, bytes.count), in: bytes, reason: reason)
    }

    /// The byte at the cursor, or 0 at the end: 0 is not part of any token, so no caller mistakes one for the other.
    private var current: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    private mutating func skipSpace() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x09, 0x0A, 0x0D: offset += 1
            default: return
            }
        }
    }

    private mutating func value() throws(JSONSyntaxError) -> JSONValue {
        switch current {
        case UInt8(ascii: "{"): return try nested { parser throws(JSONSyntaxError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(JSONSyntaxError) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default:
            throw error(offset < bytes.count ? "a value was expected" : "the text ends too early")
        }
    }

    private mutating func nested(
        _ body: (inout JSONParser) throws(JSONSyntaxError) -> JSONValue
    ) throws(JSONSyntaxError) -> JSONValue {
        guard depth < Self.depthMax else { throw error("nested deeper than \(Self.depthMax) levels") }
        depth += 1
        offset += 1
        let value = try body(&self)
        depth -= 1
        return value
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        let wanted = text.description.utf8
        guard bytes[offset...].prefix(wanted.count).elementsEqual(wanted) else {
            throw error("a value was expected")
        }
        offset += wanted.count
        return value
    }

    private mutating func array() throws(JSONSyntaxError) -> JSONValue {
        var elements: [JSONValue] = []
        skipSpace()
        if current == UInt8(ascii: "]") {
            offset += 1
            return .array(elements)
        }
        while true {
            skipSpace()
            elements.append(try value())
            skipSpace()
            switch current {
            case UInt8(ascii: ","): offset += 1
            case UInt8(ascii: "]"):
                offset += 1
                return .array(elements)
            default: throw error("a comma or the end of the array was expected")
            }
        }
    }

    private mutating func object() throws(JSONSyntaxError) -> JSONValue {
        let start = offset
        var members: [JSONMember] = []
        skipSpace()
        if current == UInt8(ascii: "}") {
            offset += 1
            return .object(members)
        }
        while true {
            skipSpace()
            guard current == UInt8(ascii: "\"") else { throw error("a member name was expected") }
            let name = try string()
            skipSpace()
            guard current == UInt8(ascii: ":") else { throw error("a colon was expected") }
            offset += 1
            skipSpace()
            members.append(JSONMember(name, try value()))
            skipSpace()
            switch current {
            case UInt8(ascii: ","): offset += 1
            case UInt8(ascii: "}"):
                offset += 1
                try refuseDoubledNames(members, start: start)
                return .object(members)
            default: throw error("a comma or the end of the object was expected")
            }
        }
    }

    private func refuseDoubledNames(_ members: [JSONMember], start: Int) throws(JSONSyntaxError) {
        guard members.count > 1 else { return }
        let names = members.map { Array($0.name.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        for (name, next) in zip(names, names.dropFirst()) where name == next {
            throw error("the member \"\(String(decoding: name, as: UTF8.self))\" is given twice", at: start)
        }
    }
}

extension JSONParser {
    private mutating func number() throws(JSONSyntaxError) -> JSONValue {
        let start = offset
        if current == UInt8(ascii: "-") { offset += 1 }
        let digits = offset
        try skipDigits()
        if bytes[digits] == UInt8(ascii: "0"), offset - digits > 1 {
            throw error("a number must not begin with 0", at: start)
        }
        var isInteger = true
        if current == UInt8(ascii: ".") {
            isInteger = false
            offset += 1
            try skipDigits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            isInteger = false
            offset += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { offset += 1 }
            try skipDigits()
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if isInteger {
            // As a double it would be another number than the one that was written.
            guard let integer = Int64(text) else { throw error("a whole number has at most 64 bits", at: start) }
            return .integer(integer)
        }
        guard let double = Double(text), double.isFinite else {
            throw error("the number is out of range", at: start)
        }
        return .number(double)
    }

    private mutating func skipDigits() throws(JSONSyntaxError) {
        let start = offset
        while offset < bytes.count, bytes[offset] &- UInt8(ascii: "0") < 10 { offset += 1 }
        guard offset > start else { throw error("a digit was expected") }
    }

    private mutating func string() throws(JSONSyntaxError) -> String {
        let start = offset
        offset += 1
        let first = offset
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                return try validated(bytes[first..<(offset - 1)], start: start)
            case UInt8(ascii: "\\"):
                return try stringWithEscapes(first: first, start: start)
            case 0x00..<0x20:
                throw error("a control character must be escaped")
            default:
                offset += 1
            }
        }
        throw error("the string does not end", at: start)
    }

    private func validated(_ slice: ArraySlice<UInt8>, start: Int) throws(JSONSyntaxError) -> String {
        guard let text = String(validating: slice, as: UTF8.self) else {
            throw error("the string is not UTF-8", at: start)
        }
        return text
    }

    /// The slow path, from the first backslash on.
    private mutating func stringWithEscapes(first: Int, start: Int) throws(JSONSyntaxError) -> String {
        var content = Array(bytes[first..<offset])
        while offset < bytes.count {
            let byte = bytes[offset]
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return try validated(content[...], start: start)
            case UInt8(ascii: "\\"):
                offset += 1
                try escape(into: &content)
            case 0x00..<0x20:
                throw error("a control character must be escaped")
            default:
                content.append(byte)
                offset += 1
            }
        }
        throw error("the string does not end", at: start)
    }

    private mutating func escape(into content: inout [UInt8]) throws(JSONSyntaxError) {
        let byte = current
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"):
            offset += 1
            let scalar = try unicodeEscape()
            content.append(contentsOf: String(scalar).utf8)
            return
        default: throw error("unknown escape")
        }
        offset += 1
    }

    private mutating func unicodeEscape() throws(JSONSyntaxError) -> Unicode.Scalar {
        let place = offset
        let first = try fourHexDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        // A high surrogate is only half a character: the low one must follow.
        guard (0xD800..<0xDC00).contains(first), current == UInt8(ascii: "\\"),
            offset + 1 < bytes.count, bytes[offset + 1] == UInt8(ascii: "u")
        else { throw error("half of a surrogate pair", at: place) }
        offset += 2
        let second = try fourHexDigits()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        else { throw error("half of a surrogate pair", at: place) }
        return scalar
    }

    private mutating func fourHexDigits() throws(JSONSyntaxError) -> UInt32 {
        var result: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(current)).hexDigitValue, current < 0x80 else {
                throw error("four hexadecimal digits were expected")
            }
            result = result << 4 | UInt32(digit)
            offset += 1
        }
        return result
    }
}
