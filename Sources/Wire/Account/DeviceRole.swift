/// The rights of a device in its account's own zones.
package enum DeviceRole: UInt8, Hashable, CaseIterable, Sendable {
    /// Read, write and rule.
    case full = 1
    /// Carry operations that it cannot read.
    case relayOnly = 2
    /// Read, never write.
    case readOnly = 3
}

extension DeviceRole: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(rawValue)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        guard let role = DeviceRole(rawValue: try reader.readByte()) else { throw .invalidValue("role") }
        self = role
    }
}
