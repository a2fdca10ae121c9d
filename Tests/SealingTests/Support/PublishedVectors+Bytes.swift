import TestSupport

extension PublishedVectors {
    /// Bytes that are written as hexadecimal digits; nothing for no field.
    static func bytes(_ text: String?) -> [UInt8]? {
        guard let text else { return nil }
        let digits = text.utf8.map { UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "9") ? $0 - 48 : ($0 | 32) - 87 }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
