/// The paths of the interface with their methods.
struct RoutePaths: Sendable {
    private var entries: [(segments: [Substring], method: String)] = []

    /// Adds a path; segments in braces stand for anything.
    mutating func add(_ method: String, _ path: String) {
        entries.append((path.split(separator: "/"), method))
    }

    /// The methods of the paths that fit, in alphabetical order.
    func methods(path: String) -> [String] {
        let wanted = path.split(separator: "/")
        let fitting = entries.filter { entry in
            entry.segments.count == wanted.count
                && zip(entry.segments, wanted).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
        return fitting.map(\.method).sorted()
    }

    /// All paths with their methods, like `GET /v1/status`.
    var all: [String] {
        entries.map { "\($0.method) /\($0.segments.joined(separator: "/"))" }
    }
}
