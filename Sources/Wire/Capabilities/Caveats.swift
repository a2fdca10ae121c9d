/// The limits of a right.
///
/// ```
/// +--------------+---------------------+-------------------+
/// | count varint | count × type string | namePrefix string |   types strictly ascending by their bytes
/// +--------------+---------------------+-------------------+
/// +--------------------+--------------------+-------------------+
/// | notBefore optional | expires optional   | delegationDepth 1 |   optional: 0, or 1 and a varint
/// +--------------------+--------------------+-------------------+
/// ```
///
/// There are no other caveats: an unknown one has no encoding, so no account can be given a token with a limit that
/// it does not understand.
package struct Caveats: Sendable {
    /// The record types that may be written, ascending by their bytes, at most 16; empty = every type.
    ///
    /// Limits `append` and `write` only: reading is always the whole zone.
    package let recordTypes: [String]
    /// The prefix of the names of records that may be written, at most 255 bytes; empty = every name.
    ///
    /// Limits `append` and `write` only.
    package let namePrefix: String
    /// The first moment of validity in milliseconds since 1970, or `nil` for "always has been".
    package let notBefore: UInt64?
    /// The first moment of no validity in milliseconds since 1970, or `nil` for "never".
    package let expires: UInt64?
    /// The number of delegation steps that may follow this one, at most 7.
    package let delegationDepth: UInt8

    /// States limits, and sorts the types.
    /// - Parameters: as the properties of the same names.
    package init(
        recordTypes: [String] = [],
        namePrefix: String = "",
        notBefore: UInt64? = nil,
        expires: UInt64? = nil,
        delegationDepth: UInt8 = 0
    ) {
        self.recordTypes = Set(recordTypes.map(BytewiseString.init)).sorted().map(\.string)
        self.namePrefix = namePrefix
        self.notBefore = notBefore
        self.expires = expires
        self.delegationDepth = delegationDepth
    }
}

extension Caveats: Hashable {
    /// Whether both have the same encoding.
    package static func == (left: Self, right: Self) -> Bool {
        left.notBefore == right.notBefore && left.expires == right.expires
            && left.delegationDepth == right.delegationDepth && left.namePrefix.isBytewiseEqual(to: right.namePrefix)
            && left.recordTypes.elementsEqual(right.recordTypes) { $0.isBytewiseEqual(to: $1) }
    }

    /// Feeds the encoding.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(encoded)
    }
}

extension Caveats: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeCount(recordTypes.count)
        for type in recordTypes {
            writer.writeString(type)
        }
        writer.writeString(namePrefix)
        for moment in [notBefore, expires] {
            writer.writeBool(moment != nil)
            if let moment { writer.writeVarint(moment) }
        }
        writer.writeByte(delegationDepth)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        recordTypes = try Self.readTypes(from: &reader)
        namePrefix = try reader.readString(maximum: Limits.nameByteCountMax)
        notBefore = try reader.readBool() ? try reader.readVarint() : nil
        expires = try reader.readBool() ? try reader.readVarint() : nil
        delegationDepth = try reader.readByte()
        guard delegationDepth <= Limits.delegationDepthMax else { throw .invalidValue("delegation depth") }
    }

    private static func readTypes(from reader: inout WireReader) throws(WireError) -> [String] {
        // The shortest type is a length and one byte.
        let count = try reader.readCount(maximum: Limits.caveatTypeCountMax, itemByteCountMin: 2)
        var types: [String] = []
        types.reserveCapacity(count)
        for _ in 0..<count {
            let type = try reader.readString(minimum: 1, maximum: Limits.nameByteCountMax)
            if let last = types.last, !last.isBytewiseLess(than: type) { throw .notAscending }
            types.append(type)
        }
        return types
    }
}
