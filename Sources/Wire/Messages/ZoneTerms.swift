/// A zone's genesis and the key of its record tags.
///
/// A device needs both to take in a zone that another account shares with it.
///
/// ```
/// +-------------+-------------+
/// | ZoneGenesis | tagKey 32 B |
/// +-------------+-------------+
/// ```
///
/// Travels only inside a channel, to the readers of the zone; it has no description, so that no log shows the key by
/// accident.
package struct ZoneTerms: Hashable, Sendable {
    /// The zone's genesis, from which its id is made.
    package let genesis: ZoneGenesis
    /// The 32-byte key of the zone's record tags.
    package let tagKey: [UInt8]

    /// Makes a message.
    /// - Parameters:
    ///   - genesis: The zone's genesis.
    ///   - tagKey: 32 secret bytes.
    /// - Precondition: the key has 32 bytes.
    package init(genesis: ZoneGenesis, tagKey: [UInt8]) {
        precondition(tagKey.count == Self.tagKeyByteCount, "a zone's tag key has 32 bytes")
        self.genesis = genesis
        self.tagKey = tagKey
    }

    /// The number of bytes of the tag key.
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
