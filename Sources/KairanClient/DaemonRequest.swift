/// One request to the daemon, before it is bound to a socket.
package struct DaemonRequest: Sendable {
    /// The HTTP methods that the interface uses.
    package enum Method: String, Sendable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
        case delete = "DELETE"
    }

    /// The method.
    package var method: Method
    /// The path, percent-encoded, with a leading slash.
    package var path: String
    /// Query parameters; those without a value are left out.
    package var query: [(name: String, value: String?)]
    /// A JSON body.
    package var body: JSONValue?
    /// The bytes of the answer that are wanted; `nil` for all.
    package var range: ByteSpan?

    /// Makes a request.
    /// - Parameters:
    ///   - method: The method.
    ///   - segments: The components of the path, as plain text.
    ///   - query: Query parameters.
    ///   - body: A JSON body.
    package init(
        _ method: Method,
        _ segments: [String],
        query: [(name: String, value: String?)] = [],
        body: JSONValue? = nil
    ) {
        self.method = method
        self.path = "/v1/" + segments.map(Self.encodedSegment).joined(separator: "/")
        self.query = query
        self.body = body
    }

    /// Path and query.
    package var target: String {
        let pairs = query.compactMap { pair in
            pair.value.map { "\(Self.encoded(pair.name))=\(Self.encoded($0))" }
        }
        return pairs.isEmpty ? path : path + "?" + pairs.joined(separator: "&")
    }

    /// A name as one segment of a path: `.` and `..` alone would be taken as directions.
    private static func encodedSegment(_ text: String) -> String {
        switch text {
        case ".": "%2E"
        case "..": "%2E%2E"
        default: encoded(text)
        }
    }

    /// All but the unreserved characters of RFC 3986 as percent and two digits.
    private static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }
        return result
    }
}
