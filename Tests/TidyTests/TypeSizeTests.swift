import Testing

/// The size of types, by the files that are named after them: `T.swift` and `T+Topic.swift`.
@Suite struct `A type` {
    private struct Size: Equatable {
        var files: Int
        var lines: Int
    }

    /// Types that are larger than a type may be.
    ///
    /// None may grow, and one that has become smaller has its new size here.
    private static let allowed: [String: Size] = [
        // Lists: of statements, histories, routes and requests, a part of a file for each.
        "Store/SQLiteTransaction": Size(files: 21, lines: 2_613),
        "Simulator/Scenario": Size(files: 28, lines: 3_660),
        "KairanClient/DaemonClient": Size(files: 14, lines: 1_362),
        "KairanClient/DaemonRequest": Size(files: 10, lines: 572),
        "LocalAPI/LocalRouter": Size(files: 12, lines: 930),
    ]

    private static func sizes() throws -> [String: Size] {
        try SourceTree("Sources").files.reduce(into: [:]) { sizes, file in
            guard let name = file.path.split(separator: "/").last?.dropLast(".swift".count) else { return }
            let type = "\(file.target)/\(name.split(separator: "+").first ?? name)"
            sizes[type, default: Size(files: 0, lines: 0)].files += 1
            sizes[type, default: Size(files: 0, lines: 0)].lines += file.lines.count - 1
        }
    }

    @Test func `has at most eight files and 1,500 lines, or is listed and does not grow`() throws {
        let large = try Self.sizes().filter { type, size in
            let limit = Self.allowed[type] ?? Size(files: 8, lines: 1_500)
            return size.files > limit.files || size.lines > limit.lines
        }
        #expect(large.isEmpty, "\(large.map { "\($0.key): \($0.value.files) files, \($0.value.lines) lines" })")
    }

    @Test func `that is listed is about as large as the list says`() throws {
        let sizes = try Self.sizes()
        let shrunk = Self.allowed.filter { type, limit in
            guard let size = sizes[type] else { return true }
            return size.files < limit.files || size.lines * 10 < limit.lines * 9
        }
        #expect(shrunk.isEmpty, "\(shrunk.keys.sorted())")
    }
}
