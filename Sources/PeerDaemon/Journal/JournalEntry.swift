import Logging

/// One entry of the journal, in the form that its socket takes: the *Native Journal Protocol* of systemd.
struct JournalEntry {
    /// The fields, in their order; a name has capital letters, digits and underscores.
    private(set) var fields: [(name: String, value: String)]

    /// A value is cut off behind so many bytes, so that the entry fits into one datagram.
    static let valueByteCountMax = 8_192
    /// The maximum number of metadata fields kept for an event.
    static let metadataCountMax = 16

    /// The entry of an event.
    /// - Parameters:
    ///   - level: The severity; becomes `PRIORITY`.
    ///   - message: The event.
    ///   - metadata: The details of the event; each key becomes a field, `peer.id` for example `KAIRAN_PEER_ID`.
    ///   - source: The part of the program.
    init(level: Logger.Level, message: String, metadata: Logger.Metadata, source: String) {
        let facts = metadata.sorted { $0.key < $1.key }.prefix(Self.metadataCountMax)
        fields = [
            ("MESSAGE", Self.sentence(message, facts.map { (key: $0.key, value: "\($0.value)") })),
            ("PRIORITY", Self.priority(level)), ("SYSLOG_IDENTIFIER", "kairand"), ("KAIRAN_PART", source),
        ]
        fields += facts.map { ("KAIRAN_" + Self.fieldName($0.key), "\($0.value)") }
    }

    /// The bytes of the datagram: `NAME=value` and a line end, or for a value with line ends its name, its length as 64 bits with the
    /// lowest byte first, and the value.
    var encoded: [UInt8] {
        fields.reduce(into: []) { bytes, field in
            let value = field.value.utf8.prefix(Self.valueByteCountMax)
            bytes += field.name.utf8
            if value.contains(UInt8(ascii: "\n")) {
                bytes.append(UInt8(ascii: "\n"))
                let count = UInt64(value.count)
                bytes += (0..<8).map { UInt8(truncatingIfNeeded: count >> (8 * UInt64($0))) }
            } else {
                bytes.append(UInt8(ascii: "="))
            }
            bytes += value
            bytes.append(UInt8(ascii: "\n"))
        }
    }

    /// Formats a line for people: the event, then its details.
    static func sentence(_ message: String, _ facts: [(key: String, value: String)]) -> String {
        let words = facts.map { fact in
            let name = fact.key.hasSuffix(".id") ? String(fact.key.dropLast(3)) : fact.key
            return "\(name.replacing(".", with: " ")) \(fact.value)"
        }
        return words.isEmpty ? message : "\(message): \(words.joined(separator: ", "))"
    }

    /// The level of syslog(3).
    private static func priority(_ level: Logger.Level) -> String {
        switch level {
        case .trace, .debug: "7"
        case .info: "6"
        case .notice: "5"
        case .warning: "4"
        case .error: "3"
        case .critical: "2"
        }
    }

    private static func fieldName(_ key: String) -> String {
        String(
            key.uppercased().prefix(48).map { character in
                character.isASCII && (character.isLetter || character.isNumber) ? character : "_"
            }
        )
    }
}
