import KairanClient
import NIOCore
import NIOHTTP1

/// A request as the double reads it.
struct MemoryRequest {
    /// `GET zones/* /records/*` and the like: the method and the path, with `*` for each name.
    var route: String
    /// The names in the path.
    var names: [String] = []
    var query: [String: String] = [:]
    /// The body; `nil` when there is none, or it is an upload.
    var body: JSONValue?
    /// The bytes of an upload.
    var upload: [UInt8] = []
    /// The bytes that are wanted of a content, as the header states them.
    var range: String?
    /// For messages.
    var text: String

    var isStream: Bool { route == "GET events" || route == "GET zones/*/events" }

    /// Reads a request with its whole body.
    /// - Returns: The request; `nil` when it is none of the interface.
    /// - Throws: The errors of the body.
    static func reading(_ request: SocketRequest) async throws -> MemoryRequest? {
        var read = MemoryRequest(request)
        if read?.route == uploadRoute, let body = request.body {
            let bytes = try await body.collected()
            read?.upload = Array(bytes.readableBytesView)
        }
        return read
    }

    /// The only request whose body is no JSON.
    static let uploadRoute = "POST zones/*/assets"

    /// Reads a request, without an upload; `nil` when it is none of the interface.
    private init?(_ request: SocketRequest) {
        let parts = request.target.split(separator: "?", maxSplits: 1)
        var segments = (parts.first ?? "").split(separator: "/").map(String.init)[...]
        guard segments.popFirst() == "v1" else { return nil }
        text = "\(request.method.rawValue) \(request.target)"
        // Every second segment of a path is a name.
        var pattern: [String] = []
        for (index, segment) in segments.enumerated() {
            if index % 2 == 0 {
                pattern.append(segment)
            } else if segment == "status"
                || (["policy", "link"].contains(segment) && pattern == ["zones", "*", "assets"])
            {
                pattern.append(segment)
            } else {
                guard let name = Self.decoded(segment) else { return nil }
                names.append(name)
                pattern.append("*")
            }
        }
        route = request.method.rawValue + " " + pattern.joined(separator: "/")
        for pair in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard sides.count == 2, let name = Self.decoded(sides[0]), let value = Self.decoded(sides[1]) else {
                return nil
            }
            query[name] = value
        }
        range = request.headers.first(name: "range")
        if route != Self.uploadRoute, let bytes = request.body?.bytes {
            do {
                body = try JSONParser.parse(Array(bytes.readableBytesView))
            } catch {
                return nil
            }
        }
    }

    /// A member of the body.
    subscript(name: String) -> JSONValue? { body?[name] }

    /// A member of the body that is text.
    func text(_ name: String) -> String? { body?[name]?.text }

    /// A number of the query.
    /// - Throws: `invalid_argument`.
    func limit(default count: Int) throws(MemoryRefusal) -> Int {
        guard let text = query["limit"] else { return count }
        guard let limit = Int(text), (1...1_000).contains(limit) else {
            throw .invalid("limit", "a whole number of 1 to 1000 is expected")
        }
        return limit
    }

    private static func decoded(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else { return nil }
            rest = rest.dropFirst(2)
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
