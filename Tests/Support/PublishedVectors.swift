import Foundation

/// The published test vectors in `Tests/Vectors`.
package enum PublishedVectors {
    /// Reads one file.
    /// - Parameters:
    ///   - type: The type of the file's JSON.
    ///   - path: The file, relative to the folder.
    /// - Returns: The contents.
    /// - Throws: An error of Foundation when the file is missing or has another form.
    package static func load<Contents: Decodable>(_ type: Contents.Type, _ path: String) throws -> Contents {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try JSONDecoder().decode(type, from: Data(contentsOf: tests.appending(path: "Vectors/\(path)")))
    }
}
