import Foundation

/// The folder of published test vectors beside the checkout.
///
/// It is data of several megabytes and not part of the package.
enum Vectors {
    /// Reads one file.
    /// - Parameters:
    ///   - type: The type of the file's JSON.
    ///   - path: The file, relative to the folder.
    /// - Returns: The contents, or nothing (and a printed line) if the folder is not there.
    /// - Throws: An error of Foundation when the file is missing or has another form.
    static func load<Contents: Decodable>(_ type: Contents.Type, _ path: String) throws -> Contents? {
        let root = URL(filePath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder = root.deletingLastPathComponent().appending(path: "shared/vectors")
        guard FileManager.default.fileExists(atPath: folder.path) else {
            print("vectors not found, skipped: \(path)")
            return nil
        }
        return try JSONDecoder().decode(type, from: Data(contentsOf: folder.appending(path: path)))
    }
}

/// Bytes that a vector file writes as hexadecimal digits.
struct HexBytes: Decodable, Equatable {
    let bytes: [UInt8]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let bytes = Self.parse(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not hexadecimal")
        }
        self.bytes = bytes
    }

    private static func parse(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map { UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "9") ? $0 - 48 : ($0 | 32) - 87 }
        guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0 < 16 }) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
