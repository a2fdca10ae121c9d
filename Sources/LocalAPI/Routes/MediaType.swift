/// Names of media types given by others: a name goes into the head of an answer only if it is valid.
enum MediaType {
    /// The media type of bytes of unknown content.
    static let anything = "application/octet-stream"

    /// Metrics, in the format that Prometheus calls by this number.
    static let metrics = "text/plain; version=\(expositionFormat); charset=utf-8"
    private static let expositionFormat = "0.0.4"

    /// Returns a valid name of a media type as it is, and `application/octet-stream` for any other text.
    static func checked(_ text: String) -> String { isOne(text) ? text : anything }

    /// Whether a text is the name of a media type with any parameters (RFC 9110 §8.3.1), and nothing behind it.
    static func isOne(_ text: String) -> Bool {
        guard text.utf8.last != UInt8(ascii: " "), text.utf8.last != UInt8(ascii: "\t") else { return false }
        var rest = Array(text.utf8)[...]
        guard takeToken(&rest), take(UInt8(ascii: "/"), &rest), takeToken(&rest) else { return false }
        while true {
            takeSpace(&rest)
            guard take(UInt8(ascii: ";"), &rest) else { return rest.isEmpty }
            takeSpace(&rest)
            // A semicolon may stand alone.
            guard takeToken(&rest) else { continue }
            guard take(UInt8(ascii: "="), &rest), takeToken(&rest) || takeQuoted(&rest) else { return false }
        }
    }

    private static func take(_ byte: UInt8, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == byte else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func takeSpace(_ rest: inout ArraySlice<UInt8>) {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    private static func takeToken(_ rest: inout ArraySlice<UInt8>) -> Bool {
        let count = rest.count
        rest = rest.drop(while: isTokenByte)
        return rest.count < count
    }

    /// Takes a text in quotation marks, in which a backslash precedes each literal character.
    private static func takeQuoted(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard take(UInt8(ascii: "\""), &rest) else { return false }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"): guard let next = rest.popFirst(), isPrintable(next) else { return false }
            default: guard isPrintable(byte) else { return false }
            }
        }
        return false
    }

    private static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) || byte == 0x09 }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
