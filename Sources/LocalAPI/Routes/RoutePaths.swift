/// The paths of the interface with their methods.
///
/// A path is matched byte for byte, segment by segment: one with an empty segment, with a slash at its end or with a dot segment
/// (RFC 3986 §5.2.4) is none of them. A client that resolves `records/..` sends `/v1/zones/notes/`, and a lenient match would
/// take that for the zone.
struct RoutePaths: Sendable {
    private var entries: [(segments: [Substring], method: String)] = []

    /// Adds a path; segments in braces stand for anything.
    mutating func add(_ method: String, _ path: String) {
        entries.append((Self.segments(of: path) ?? [], method))
    }

    /// The methods of the path that fits, in alphabetical order.
    ///
    /// Of several the one fits that names a segment itself where the others have one in braces, as in the router.
    func methods(path: String) -> [String] {
        guard let wanted = Self.segments(of: path) else { return [] }
        let fitting = entries.filter { entry in
            entry.segments.count == wanted.count
                && zip(entry.segments, wanted).allSatisfy { $0.hasPrefix("{") || $0.utf8.elementsEqual($1.utf8) }
        }
        let nearest = fitting.map { Self.braces($0.segments) }.min { $0.lexicographicallyPrecedes($1) }
        return fitting.filter { Self.braces($0.segments) == nearest }.map(\.method).sorted()
    }

    /// For each segment of a path 1 where it stands for anything, and 0 elsewhere.
    private static func braces(_ segments: [Substring]) -> [Int] { segments.map { $0.hasPrefix("{") ? 1 : 0 } }

    /// All paths with their methods, like `GET /v1/status`.
    var all: [String] {
        entries.map { "\($0.method) /\($0.segments.joined(separator: "/"))" }
    }

    /// The segments of a path, still percent-encoded.
    /// - Parameter path: The path of a request.
    /// - Returns: `nil` when it does not begin with a slash, or has a segment that is empty, `.` or `..`.
    static func segments(of path: String) -> [Substring]? {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        guard parts.count > 1, parts[0].isEmpty else { return nil }
        let segments = Array(parts.dropFirst())
        return segments.contains { $0.isEmpty || $0 == "." || $0 == ".." } ? nil : segments
    }
}
