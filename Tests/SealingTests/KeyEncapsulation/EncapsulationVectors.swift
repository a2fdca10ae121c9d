import Foundation

/// Wycheproof's vectors of ML-KEM-768, from the folder of published test vectors beside the checkout.
struct EncapsulationVectors: Decodable {
    struct Group: Decodable {
        let tests: [Test]
    }

    /// What a test does not have depends on the file and on what is wrong in it.
    struct Test: Decodable {
        let tcId: Int
        let seed: String?
        let ek: String?
        let c: String?
        let K: String?
        let result: String

        var isValid: Bool { result == "valid" }
    }

    private let testGroups: [Group]

    var tests: [Test] { testGroups.flatMap(\.tests) }

    /// Reads one file.
    /// - Returns: The contents, or nothing (and a printed line) if the folder is not there.
    static func load(_ name: String) throws -> EncapsulationVectors? {
        var root = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let folder = root.deletingLastPathComponent().appending(path: "shared/vectors")
        guard FileManager.default.fileExists(atPath: folder.path) else {
            print("vectors not found, skipped: \(name)")
            return nil
        }
        let data = try Data(contentsOf: folder.appending(path: "wycheproof/\(name).json"))
        return try JSONDecoder().decode(EncapsulationVectors.self, from: data)
    }

    /// Bytes that are written as hexadecimal digits; nothing for no field.
    static func bytes(_ text: String?) -> [UInt8]? {
        guard let text else { return nil }
        let digits = text.utf8.map { UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "9") ? $0 - 48 : ($0 | 32) - 87 }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
