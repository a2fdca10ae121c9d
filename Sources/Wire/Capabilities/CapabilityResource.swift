/// The resource that a capability gives a right to.
///
/// ```
/// +-------+-------------+
/// | tag 1 | name 32 B   |   1 zone: ZoneID, 2 relay: DeviceID, 3 account: AccountID
/// +-------+-------------+
/// ```
package enum CapabilityResource: Hashable, Sendable {
    /// A zone with everything in it.
    case zone(ZoneID)
    /// The service of a device that stores and forwards.
    case relay(DeviceID)
    /// An account as a whole.
    case account(AccountID)
}

extension CapabilityResource: WireCodable {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .zone(let zone):
            writer.writeByte(1)
            writer.write(zone)
        case .relay(let device):
            writer.writeByte(2)
            writer.write(device)
        case .account(let account):
            writer.writeByte(3)
            writer.write(account)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let tag = try reader.readByte()
        switch tag {
        case 1: self = .zone(try ZoneID(from: &reader))
        case 2: self = .relay(try DeviceID(from: &reader))
        case 3: self = .account(try AccountID(from: &reader))
        default: throw .unknownTag(UInt64(tag))
        }
    }
}
