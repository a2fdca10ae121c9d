import Foundation

/// The folder of published test vectors beside the checkout.
///
/// It is data of several megabytes and not part of the package.
enum PublishedVectors {
    /// Reads one file.
    /// - Parameters:
    ///   - type: The type of the file's JSON.
    ///   - path: The file, relative to the folder.
    /// - Returns: The contents, or nothing (and a printed line) if the folder is not there.
    /// - Throws: An error of Foundation when the file is missing or has another form.
    static func load<Contents: Decodable>(_ type: Contents.Type, _ path: String) throws -> Contents? {
        var root = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let folder = root.deletingLastPathComponent().appending(path: "shared/vectors")
        guard FileManager.default.fileExists(atPath: folder.path) else {
            print("vectors not found, skipped: \(path)")
            return nil
        }
        return try JSONDecoder().decode(type, from: Data(contentsOf: folder.appending(path: path)))
    }

    /// Bytes that are written as hexadecimal digits; nothing for no field.
    static func bytes(_ text: String?) -> [UInt8]? {
        guard let text else { return nil }
        let digits = text.utf8.map { UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "9") ? $0 - 48 : ($0 | 32) - 87 }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
