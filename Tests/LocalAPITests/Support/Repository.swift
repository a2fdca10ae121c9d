import FoundationEssentials

/// Files of the repository that tests compare with.
enum Repository {
    /// The package's root, derived from this file, so the working directory of the tests does not matter.
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: root.appending(path: path)), as: UTF8.self)
    }
}
