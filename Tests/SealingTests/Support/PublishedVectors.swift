import Foundation
import TestSupport

/// The published test vectors in a folder above the checkout.
enum PublishedVectors {
    /// Reads one file.
    /// - Parameters:
    ///   - type: The type of the file's JSON.
    ///   - path: The file, relative to the folder.
    /// - Returns: The contents; `nil` if the folder is not there.
    /// - Throws: `CannotRun` if it has to be there; an error of Foundation when the file is missing or has another form.
    static func load<Contents: Decodable>(_ type: Contents.Type, _ path: String) throws -> Contents? {
        guard let folder = vectorsFolder(above: URL(filePath: #filePath).resolvingSymlinksInPath().path) else {
            try cannotRun("no folder above the checkout has shared/vectors with the published vectors \(path)")
            return nil
        }
        return try JSONDecoder().decode(type, from: Data(contentsOf: URL(filePath: folder).appending(path: path)))
    }

    /// Bytes that are written as hexadecimal digits; nothing for no field.
    static func bytes(_ text: String?) -> [UInt8]? {
        guard let text else { return nil }
        let digits = text.utf8.map { UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "9") ? $0 - 48 : ($0 | 32) - 87 }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
