/// Revokes capabilities, and states how much of the logs under them stays effective.
///
/// ```
/// +--------------+--------------------+--------------+---------------------+
/// | count varint | count × capability | count varint | count × LogPosition |   at least one capability
/// +--------------+--------------------+--------------+---------------------+   all lists strictly ascending
/// +--------------+--------------------------+---------------+
/// | count varint | count × SignedCapability | reason string |
/// +--------------+--------------------------+---------------+
/// ```
package struct Revocation: Sendable {
    /// The ids of the capabilities that end, ascending, at least one; the capabilities that descend from them end too.
    package let capabilities: [Hash]
    /// The effective sizes of the logs under these capabilities and their descendants, ascending; a log that is not
    /// listed is cut at zero.
    package let cuts: [LogPosition]
    /// The capabilities that the same operation grants again, ascending by their bytes.
    ///
    /// A change of rights is a revocation and a new grant; the holders of descendants of an ended capability stay by
    /// new ones with another parent.
    package let regrants: [SignedCapability]
    /// Why, for people; at most 1,024 bytes.
    package let reason: String

    /// Revokes rights, and sorts the lists.
    /// - Parameters: as the properties of the same names.
    package init(
        capabilities: [Hash],
        cuts: [LogPosition] = [],
        regrants: [SignedCapability] = [],
        reason: String = ""
    ) {
        self.capabilities = capabilities.inWireOrder()
        self.cuts = cuts.inWireOrder()
        self.regrants = regrants.inWireOrder()
        self.reason = reason
    }
}

extension Revocation: Hashable {
    /// Whether both have the same encoding.
    package static func == (left: Self, right: Self) -> Bool {
        left.capabilities == right.capabilities && left.cuts == right.cuts && left.regrants == right.regrants
            && left.reason.isBytewiseEqual(to: right.reason)
    }

    /// Feeds the properties that are compared, except the reason, which hardly ever decides.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(capabilities)
        hasher.combine(cuts)
        hasher.combine(regrants)
    }
}

extension Revocation: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeList(capabilities)
        writer.writeList(cuts)
        writer.writeList(regrants)
        writer.writeString(reason)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        capabilities = try reader.readAscending(
            maximum: Limits.revokedCapabilityCountMax,
            itemByteCountMin: Digest32.byteCount
        )
        guard !capabilities.isEmpty else { throw .invalidValue("capabilities") }
        cuts = try reader.readCuts()
        regrants = try reader.readRegrants()
        reason = try reader.readString(maximum: Limits.reasonByteCountMax)
    }
}

extension WireReader {
    /// Reads the effective sizes of a zone's logs.
    /// - Throws: `WireError`.
    mutating func readCuts() throws(WireError) -> [LogPosition] {
        try readAscending(maximum: Limits.logCountMax, itemByteCountMin: LogPosition.byteCountMin)
    }

    /// Reads capabilities that an operation grants again.
    /// - Throws: `WireError`.
    mutating func readRegrants() throws(WireError) -> [SignedCapability] {
        try readAscending(
            maximum: Limits.regrantCountMax,
            itemByteCountMin: SignedCapability.byteCountMin
        )
    }
}
