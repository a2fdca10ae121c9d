import Identity
import Wire

/// The content of `keys/joins`: the invitations that this device has opened and that have no final answer.
///
/// ```
/// +---+--------------+---------------------------------------+
/// | 1 | count varint | count × (link string, opened varint)  |
/// +---+--------------+---------------------------------------+
/// ```
struct JoinFile: WireCodable {
    /// The links with the time at which they were opened.
    var joins: [(link: String, opened: UInt64)]

    init(_ attempts: some Collection<JoinDesk.Attempt>) {
        joins = attempts.map { ($0.link.text, $0.opened) }.sorted { $0.1 < $1.1 }
    }

    func encode(into writer: inout WireWriter) {
        writer.writeByte(1)
        writer.writeCount(joins.count)
        for join in joins {
            writer.writeString(join.link)
            writer.writeVarint(join.opened)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        guard try reader.readByte() == 1 else { throw .invalidValue("joins format") }
        let count = try reader.readCount(maximum: JoinDesk.attemptCountMax, itemByteCountMin: 2)
        joins = []
        for _ in 0..<count { joins.append((try reader.readString(maximum: 4_096), try reader.readVarint())) }
    }
}

extension JoinFile: UnprintedSecret {
    var description: String { "opened invitations" }
}
