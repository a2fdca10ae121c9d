/// One of an actor's two logs in a zone.
///
/// Control operations (rights, checkpoints) travel first and alone decide which data is effective, so they have a
/// tree of their own.
package enum Lane: UInt8, Hashable, Comparable, CaseIterable, Sendable {
    /// Genesis, checkpoints and all other operations about the zone as a whole.
    case control = 0
    /// Records.
    case data = 1

    /// Control sorts first.
    package static func < (left: Self, right: Self) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension Lane: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(rawValue)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        guard let lane = Lane(rawValue: try reader.readByte()) else { throw .invalidValue("lane") }
        self = lane
    }
}
