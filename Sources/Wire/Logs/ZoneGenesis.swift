/// How much a device that joins a zone later may read of what was written before.
package enum ZoneHistory: UInt8, Hashable, CaseIterable, Sendable {
    /// Everything.
    case full = 1
    /// What is live at the join and what follows.
    case fromJoin = 2
}

/// What a zone is from its first moment on.
///
/// ```
/// +------------+------------------+-------------+-----------+-----------+-------------+
/// | owner 32 B | container string | name string | salt 32 B | history 1 | isDefault 1 |
/// +------------+------------------+-------------+-----------+-----------+-------------+
///  identityBytes: these four, whose hash is the ZoneID
/// ```
package struct ZoneGenesis: Sendable {
    /// The account that owns the zone.
    package let owner: AccountID
    /// The application's silo, a reverse-DNS name of 1...255 bytes.
    package let container: String
    /// The zone's name in its container, 1...255 bytes.
    package let name: String
    /// 32 bytes that keep others from guessing the id out of the names.
    package let salt: [UInt8]
    /// What later devices may read.
    package let history: ZoneHistory
    /// Whether it is the container's default zone.
    package let isDefault: Bool

    /// Describes a new zone.
    /// - Parameters: as the properties of the same names.
    /// - Precondition: the salt has 32 bytes.
    package init(
        owner: AccountID,
        container: String,
        name: String,
        salt: [UInt8],
        history: ZoneHistory,
        isDefault: Bool
    ) {
        precondition(salt.count == Self.saltByteCount, "a zone's salt has 32 bytes")
        self.owner = owner
        self.container = container
        self.name = name
        self.salt = salt
        self.history = history
        self.isDefault = isDefault
    }

    /// How many bytes the salt has.
    package static let saltByteCount = 32

    /// The bytes whose hash is the zone's id: owner, container, name, salt.
    package var identityBytes: [UInt8] {
        var writer = WireWriter(capacity: 256)
        encodeIdentity(into: &writer)
        return writer.bytes
    }

    private func encodeIdentity(into writer: inout WireWriter) {
        writer.write(owner)
        writer.writeString(container)
        writer.writeString(name)
        writer.writeFixed(salt, count: Self.saltByteCount)
    }
}

extension ZoneGenesis: Hashable {
    /// Whether both have the same encoding.
    package static func == (left: Self, right: Self) -> Bool {
        left.encoded == right.encoded
    }

    /// Feeds the encoding.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(encoded)
    }
}

extension ZoneGenesis: WireCodable {
    package func encode(into writer: inout WireWriter) {
        encodeIdentity(into: &writer)
        writer.writeByte(history.rawValue)
        writer.writeBool(isDefault)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        owner = try AccountID(from: &reader)
        container = try reader.readString(minimum: 1, maximum: Limits.nameByteCountMax)
        name = try reader.readString(minimum: 1, maximum: Limits.nameByteCountMax)
        salt = try reader.readFixed(Self.saltByteCount)
        guard let history = ZoneHistory(rawValue: try reader.readByte()) else { throw .invalidValue("history") }
        self.history = history
        isDefault = try reader.readBool()
    }
}
