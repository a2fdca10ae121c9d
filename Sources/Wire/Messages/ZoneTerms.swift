/// What a zone is and the key of its record tags: what a device needs to take a zone in that another account shares with it.
///
/// ```
/// +-------------+-------------+
/// | ZoneGenesis | tagKey 32 B |
/// +-------------+-------------+
/// ```
///
/// Travels only inside a channel, to those who may read the zone; it has no description, so that no log shows the key by
/// accident.
package struct ZoneTerms: Hashable, Sendable {
    /// What the zone's id is made of.
    package let genesis: ZoneGenesis
    /// The 32-byte key of the zone's record tags.
    package let tagKey: [UInt8]

    /// Makes a message.
    /// - Parameters:
    ///   - genesis: What the zone's id is made of.
    ///   - tagKey: 32 secret bytes.
    /// - Precondition: the key has 32 bytes.
    package init(genesis: ZoneGenesis, tagKey: [UInt8]) {
        precondition(tagKey.count == Self.tagKeyByteCount, "a zone's tag key has 32 bytes")
        self.genesis = genesis
        self.tagKey = tagKey
    }

    /// How many bytes the tag key has.
    package static let tagKeyByteCount = 32
}

extension ZoneTerms: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(genesis)
        writer.writeFixed(tagKey, count: Self.tagKeyByteCount)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        genesis = try ZoneGenesis(from: &reader)
        tagKey = try reader.readFixed(Self.tagKeyByteCount)
    }
}

extension ZoneTerms: UnprintedSecret {
    package var description: String { "ZoneTerms" }
}
