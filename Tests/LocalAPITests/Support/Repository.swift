import FoundationEssentials

/// Files of the repository that tests compare with.
enum Repository {
    /// The package's root, seen from this file, whatever directory the tests run in.
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Whether tests write what they would otherwise compare with.
    static let isRecording = ProcessInfo.processInfo.environment["KAIRAN_RECORD"] == "1"

    static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: root.appending(path: path)), as: UTF8.self)
    }

    static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: root.appending(path: path))
    }
}
