/// The program that runs at the sender, for people: nothing in the protocol depends on it.
///
/// ```
/// +------------+----------------------+
/// | revision 1 | version string       |
/// +------------+----------------------+
///   revision ≥ 1; version 1 to 32 bytes of printable ASCII without space
/// ```
package struct ProgramNote: Hashable, Sendable {
    /// The maximum length of a version in bytes.
    package static let versionByteCountMax = 32

    /// The revision of the messages that the program knows, see ``PeerMessage/revision``.
    package let revision: UInt8
    /// The program's version, as in `0.1.0`: 1 to 32 bytes of printable ASCII without space.
    package let version: String

    /// Makes a note; `nil` for revision 0, and for a version of another form.
    /// - Parameters: as the properties of the same names.
    package init?(revision: UInt8 = PeerMessage.revision, version: String) {
        guard revision > 0, Self.isVersion(version) else { return nil }
        self.revision = revision
        self.version = version
    }

    private static func isVersion(_ text: String) -> Bool {
        (1...versionByteCountMax).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension ProgramNote: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(revision)
        writer.writeString(version)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        revision = try reader.readByte()
        guard revision > 0 else { throw .invalidValue("revision") }
        version = try reader.readString(minimum: 1, maximum: Self.versionByteCountMax)
        guard Self.isVersion(version) else { throw .invalidValue("version") }
    }
}
