import FoundationEssentials

/// Files of the repository that tests compare with.
enum Repository {
    /// The package's root, seen from this file, whatever directory the tests run in.
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: root.appending(path: path)), as: UTF8.self)
    }
}
