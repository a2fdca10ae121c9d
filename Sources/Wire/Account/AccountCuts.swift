/// How much of a removed device's past still counts.
///
/// ```
/// +--------------+-------------------+--------------+-----------------+
/// | count varint | count × hash 32 B | count varint | count × ZoneCut |   both strictly ascending
/// +--------------+-------------------+--------------+-----------------+
/// ```
package struct AccountCuts: Hashable, Sendable {
    /// Heads of the account log's part by that device that still counts, ascending.
    package let accountLog: [Hash]
    /// The device's logs in the account's zones, ascending by blinded zone; what is not listed is cut at zero.
    package let zones: [ZoneCut]

    /// Makes cuts; both lists are put in order.
    package init(accountLog: [Hash], zones: [ZoneCut]) {
        self.accountLog = accountLog.inWireOrder()
        self.zones = zones.inWireOrder()
    }

    /// The cuts that let nothing of the device count.
    package static let zero = AccountCuts(accountLog: [], zones: [])
}

/// The cuts in one zone.
///
/// ```
/// +-------------------+--------------+---------------------+
/// | blinded zone 32 B | count varint | count × LogPosition |   logs strictly ascending
/// +-------------------+--------------+---------------------+
/// ```
package struct ZoneCut: Hashable, Sendable {
    /// Hash of the zone's id and the entry's nonce: readers of the account log who are not in the zone do not learn
    /// that it exists.
    package let zone: Hash
    /// Up to where each of the device's logs counts, ascending.
    package let logs: [LogPosition]

    /// Makes a cut; the logs are put in order.
    package init(zone: Hash, logs: [LogPosition]) {
        self.zone = zone
        self.logs = logs.inWireOrder()
    }
}

extension AccountCuts: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeList(accountLog)
        writer.writeList(zones)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        accountLog = try reader.readAscending(
            maximum: Limits.accountHeadCountMax,
            itemByteCountMin: Digest32.byteCount
        )
        zones = try reader.readAscending(
            maximum: Limits.zoneCutCountMax,
            itemByteCountMin: Digest32.byteCount + 1
        )
    }
}

extension ZoneCut: WireCodable, WireOrdered {
    package var orderKey: Hash { zone }

    package func encode(into writer: inout WireWriter) {
        writer.write(zone)
        writer.writeList(logs)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        zone = try Hash(from: &reader)
        logs = try reader.readAscending(
            maximum: Limits.logCountMax,
            itemByteCountMin: LogPosition.byteCountMin
        )
    }
}
