package import Identity
package import Wire

/// The content of `keys/joins`: the invitations that this device has opened and that have no final answer.
///
/// ```
/// +---+--------------+---------------------------------------+
/// | 1 | count varint | count × (link string, opened varint)  |
/// +---+--------------+---------------------------------------+
/// ```
package struct OpenedInvitations: WireCodable {
    /// The invitations with the time at which they were opened, in milliseconds since 1970; oldest first.
    package private(set) var all: [(link: InviteLink, opened: UInt64)]

    /// The invitations that have no final answer.
    /// - Parameter core: The core that has them.
    package init(_ core: InvitationCore<some Hashable & Sendable & LosslessStringConvertible>) {
        all = core.attempts.values.sorted { $0.precedes($1) }.map { ($0.link, $0.opened) }
    }

    /// Encodes the file.
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(1)
        writer.writeCount(all.count)
        for (link, opened) in all {
            writer.writeString(link.text)
            writer.writeVarint(opened)
        }
    }

    /// Decodes the file.
    package init(from reader: inout WireReader) throws(WireError) {
        guard try reader.readByte() == 1 else { throw .invalidValue("joins format") }
        let count = try reader.readCount(maximum: InvitationCore<String>.attemptCountMax, itemByteCountMin: 2)
        all = []
        for _ in 0..<count {
            let text = try reader.readString(maximum: 4_096)
            guard let link = try? InviteLink(typed: text) else { throw .invalidValue("an opened invitation") }
            all.append((link, try reader.readVarint()))
        }
    }
}

extension OpenedInvitations: UnprintedSecret {
    package var description: String { "opened invitations" }
}
