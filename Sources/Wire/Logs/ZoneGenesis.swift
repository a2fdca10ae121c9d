/// The part of the earlier history that a device may read which joins a zone later.
package enum ZoneHistory: UInt8, Hashable, CaseIterable, Sendable {
    /// All of it.
    case full = 1
    /// The live set at the join, and everything that follows.
    case fromJoin = 2
}

/// The properties that a zone has from its creation on.
///
/// ```
/// +------------+------------------+-------------+-----------+-----------+--------+
/// | owner 32 B | container string | name string | salt 32 B | history 1 | form 1 | partner 32 B: of form 2
/// +------------+------------------+-------------+-----------+-----------+--------+
///  identityBytes: these four, whose hash is the ZoneID        0 custom, 1 default, 2 pair
/// ```
///
/// The identity of a pair zone includes its form and partner, so it cannot be claimed for another account.
package struct ZoneGenesis: Sendable {
    /// The account that owns the zone; of a pair zone the one with the smaller id.
    package let owner: AccountID
    /// The other account that owns a pair zone; `nil` for other zones.
    package let partner: AccountID?
    /// The application's silo, a reverse-DNS name of 1...255 bytes.
    package let container: String
    /// The zone's name in its container, 1...255 bytes.
    package let name: String
    /// 32 bytes that keep others from guessing the id out of the names.
    package let salt: [UInt8]
    /// The part of the history that later devices may read.
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
        partner = nil
        self.container = container
        self.name = name
        self.salt = salt
        self.history = history
        self.isDefault = isDefault
    }

    /// Describes a zone that two accounts own together.
    /// - Parameters:
    ///   - owners: The two accounts, in any order.
    ///   - container: The application's silo.
    ///   - name: The zone's name.
    ///   - salt: 32 bytes that both accounts can derive and no other.
    /// - Precondition: they are two, and the salt has 32 bytes.
    package init(owners: (AccountID, AccountID), container: String, name: String, salt: [UInt8]) {
        precondition(salt.count == Self.saltByteCount, "a zone's salt has 32 bytes")
        precondition(owners.0 != owners.1, "nobody has a pair zone alone")
        owner = min(owners.0, owners.1)
        partner = max(owners.0, owners.1)
        self.container = container
        self.name = name
        self.salt = salt
        history = .full
        isDefault = false
    }

    /// The number of bytes of the salt.
    package static let saltByteCount = 32

    /// The bytes whose hash is the zone's id: owner, container, name, salt; of a pair zone form and partner too.
    package var identityBytes: [UInt8] {
        var writer = WireWriter(capacity: 256)
        encodeIdentity(into: &writer)
        if partner != nil { encodeForm(into: &writer) }
        return writer.bytes
    }

    private func encodeForm(into writer: inout WireWriter) {
        guard let partner else {
            writer.writeBool(isDefault)
            return
        }
        writer.writeByte(Self.pairForm)
        writer.write(partner)
    }

    private static let pairForm: UInt8 = 2

    private func encodeIdentity(into writer: inout WireWriter) {
        writer.write(owner)
        writer.writeString(container)
        writer.writeString(name)
        writer.writeFixed(salt, count: Self.saltByteCount)
    }
}

extension ZoneGenesis: EqualByEncoding {
    package func encode(into writer: inout WireWriter) {
        encodeIdentity(into: &writer)
        writer.writeByte(history.rawValue)
        encodeForm(into: &writer)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        owner = try AccountID(from: &reader)
        container = try reader.readString(minimum: 1, maximum: Limits.nameByteCountMax)
        name = try reader.readString(minimum: 1, maximum: Limits.nameByteCountMax)
        salt = try reader.readFixed(Self.saltByteCount)
        guard let history = ZoneHistory(rawValue: try reader.readByte()) else { throw .invalidValue("history") }
        self.history = history
        let form = try reader.readByte()
        isDefault = form == 1
        guard form == Self.pairForm else {
            guard form <= 1 else { throw .invalidValue("zone form") }
            partner = nil
            return
        }
        let partner = try AccountID(from: &reader)
        guard owner < partner, history == .full else { throw .invalidValue("pair zone") }
        self.partner = partner
    }
}
