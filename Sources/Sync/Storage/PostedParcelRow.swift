package import Wire

/// A parcel that this device left on a relay for another one, and that the other one has not acknowledged.
package struct PostedParcelRow: Hashable, Sendable {
    /// A stretch of a log in the parcel.
    package struct Stretch: Hashable, Sendable {
        /// The log.
        package var key: LogKey
        /// The size at which the stretch begins.
        package var from: UInt64
        /// The size of the log with the stretch.
        package var size: UInt64

        /// Makes a stretch.
        /// - Parameters: as the properties of the same names.
        package init(key: LogKey, from: UInt64, size: UInt64) {
            self.key = key
            self.from = from
            self.size = size
        }
    }

    /// The relay.
    package var relay: RelayID
    /// The receiving device.
    package var device: DeviceID
    /// The id of the parcel.
    package var parcel: ParcelID
    /// The day of its mailbox.
    package var day: UInt64
    /// The end of the relay's promise to keep it, in milliseconds since 1970 by the relay's clock.
    package var until: UInt64
    /// The time since when it is known to be missing, in milliseconds since 1970; `nil` as long as it is there.
    package var missingSince: UInt64?
    /// The stretches in it; none for a parcel that only acknowledges.
    package var stretches: [Stretch]

    /// Makes a row.
    /// - Parameters: as the properties of the same names.
    package init(
        relay: RelayID,
        device: DeviceID,
        parcel: ParcelID,
        day: UInt64,
        until: UInt64,
        missingSince: UInt64? = nil,
        stretches: [Stretch]
    ) {
        self.relay = relay
        self.device = device
        self.parcel = parcel
        self.day = day
        self.until = until
        self.missingSince = missingSince
        self.stretches = stretches
    }
}

extension PostedParcelRow.Stretch: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(key.zone)
        writer.write(key.actor)
        writer.write(key.lane)
        writer.writeVarint(from)
        writer.writeVarint(size)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let zone = try ZoneID(from: &reader)
        let actor = try ActorID(from: &reader)
        key = LogKey(zone: zone, actor: actor, lane: try Lane(from: &reader))
        from = try reader.readVarint()
        size = try reader.readVarint()
    }
}
