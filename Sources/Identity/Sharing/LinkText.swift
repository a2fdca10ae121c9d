import Sodium
import Wire

/// The form of the links that people send to each other.
///
/// Everything follows the `#` of the prefix: programs that open links send that part to no server. The check is a
/// hash over the bytes before it, so that a link that was cut or mistyped is distinguished from one that is no longer
/// valid.
enum LinkText {
    private static let version: UInt8 = 1
    private static let checkByteCount = 4
    private static let textByteCountMax = 4_096

    /// Writes a link.
    /// - Parameters:
    ///   - payload: The contents of the link.
    ///   - prefix: The beginning of the text.
    /// - Returns: The text.
    static func encode(_ payload: [UInt8], prefix: String) -> String {
        let bytes = [version] + payload
        return prefix + Base32.encode(bytes + check(bytes))
    }

    /// Reads a link; only white space around it does not matter.
    /// - Parameters:
    ///   - typed: The text that a person pasted.
    ///   - prefix: The beginning of the text.
    /// - Returns: The contents of the link.
    /// - Throws: ``InviteLinkError``.
    static func decode(_ typed: String, prefix: String) throws(InviteLinkError) -> [UInt8] {
        let text = typed.trimmingPrefix(while: \.isWhitespace)
        guard text.hasPrefix(prefix) else { throw .notALink }
        guard text.utf8.count <= textByteCountMax else { throw .mistyped }
        var body = text.dropFirst(prefix.count)
        while body.last?.isWhitespace == true { body.removeLast() }
        guard let bytes = Base32.decode(String(body)), bytes.count > checkByteCount else { throw .mistyped }
        let payload = Array(bytes.dropLast(checkByteCount))
        guard check(payload).elementsEqual(bytes.suffix(checkByteCount)) else { throw .mistyped }
        guard payload.first == version else { throw .unknownVersion(payload.first ?? 0) }
        return Array(payload.dropFirst())
    }

    private static func check(_ payload: [UInt8]) -> [UInt8] {
        Array(Blake2b.digest32(.inviteCheck, payload).prefix(checkByteCount))
    }
}
