/// The value of `Content-Disposition` (RFC 6266), by which a client that stores an answer learns the name of the file.
enum ContentDisposition {
    /// An answer that is to be stored, and not shown.
    /// - Parameter fileName: The name of the file, one component of a path; empty where none is stated.
    /// - Returns: The value.
    static func attachment(_ fileName: String) -> String {
        // The extended form alone: every name has it, and the other one would need a second, poorer name.
        fileName.isEmpty ? "attachment" : "attachment; filename*=UTF-8''\(encoded(fileName))"
    }

    /// A value of a parameter as RFC 8187 §3.2.1 writes it: all bytes but those of `attr-char` percent-encoded.
    private static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isPlain(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$&+-.^_`|~".utf8.contains(byte)
        }
    }
}
