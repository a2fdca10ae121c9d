/// The action of an account entry.
///
/// ```
/// +------------+---------------+---------+
/// | tag varint | length varint | payload |
/// +------------+---------------+---------+
///  1 genesis             recoveryKey 32 B, firstDevice bytes, name string
///  2 addDevice           certificate bytes, role 1, name string
///  3 removeDevice        DeviceRemoval
///  4 replaceRecoveryKey  new key 32 B
///  5 pairKey             key 32 B
///  6 renewCertificate    certificate: all that is left
///  7 renewFleetKey       FleetKeyRenewal: all that is left
///  8 setName             Naming: all that is left
///  0 and 9…              kept as they are
/// ```
package enum AccountAction: Sendable {
    /// Starts the account. The first device is an encoded `SignedDeviceCertificate` and has role full; the name is
    /// the device's, 1...63 bytes.
    case genesis(recoveryKey: [UInt8], firstDevice: [UInt8], name: String)
    /// Adds a device; the certificate is an encoded `SignedDeviceCertificate`.
    case addDevice(certificate: [UInt8], role: DeviceRole, name: String)
    /// Removes a device, and states how much of its past stays effective.
    case removeDevice(DeviceRemoval)
    /// Puts another recovery key (32 bytes, Ed25519) in the place of the old one.
    case replaceRecoveryKey([UInt8])
    /// States the public half of the key (32 bytes, X25519) from which zones of two accounts are derived.
    case pairKey([UInt8])
    /// Puts another certificate in the place of a device's: an encoded `SignedDeviceCertificate`, if it is one.
    ///
    /// Read as bytes, since versions that do not know the kind take in any: bytes that are no certificate have no
    /// effect.
    case renewCertificate([UInt8])
    /// Makes another key of the account's own devices: an encoded `FleetKeyRenewal`, if it is one.
    ///
    /// Read as bytes for the same reason.
    case renewFleetKey([UInt8])
    /// Names the account, or one of its devices: an encoded `Naming`, if it is one.
    ///
    /// Read as bytes for the same reason.
    case setName([UInt8])
    /// A kind that a later version knows.
    case unknown(tag: UInt64, bytes: [UInt8])
}

extension AccountAction {
    /// The number of bytes of a recovery key.
    package static let recoveryKeyByteCount = 32
    /// The number of bytes of a pair key.
    package static let pairKeyByteCount = 32

    /// Whether it starts an account.
    package var isGenesis: Bool {
        if case .genesis = self { true } else { false }
    }
}

extension AccountAction: EqualByEncoding {
    /// The tags of the kinds that are known.
    package static let knownTags: ClosedRange<UInt64> = 1...8

    package func encode(into writer: inout WireWriter) {
        switch self {
        case .genesis(let recoveryKey, let firstDevice, let name):
            writer.writeTagged(1) { writer in
                writer.writeFixed(recoveryKey, count: Self.recoveryKeyByteCount)
                writer.writeBytes(firstDevice)
                writer.writeString(name)
            }
        case .addDevice(let certificate, let role, let name):
            writer.writeTagged(2) { writer in
                writer.writeBytes(certificate)
                writer.write(role)
                writer.writeString(name)
            }
        case .removeDevice(let removal):
            writer.writeTagged(3) { $0.write(removal) }
        case .replaceRecoveryKey(let key):
            writer.writeTagged(4) { $0.writeFixed(key, count: Self.recoveryKeyByteCount) }
        case .pairKey(let key):
            writer.writeTagged(5) { $0.writeFixed(key, count: Self.pairKeyByteCount) }
        case .renewCertificate(let certificate):
            writer.writeTagged(6) { $0.writeRaw(certificate) }
        case .renewFleetKey(let renewal):
            writer.writeTagged(7) { $0.writeRaw(renewal) }
        case .setName(let naming):
            writer.writeTagged(8) { $0.writeRaw(naming) }
        case .unknown(let tag, let bytes):
            precondition(!Self.knownTags.contains(tag), "a known kind of account entry is written as itself")
            writer.writeTagged(tag) { $0.writeRaw(bytes) }
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let tag = try reader.readVarint()
        var payload = try reader.readNested(maximum: Limits.accountEntryByteCountMax)
        switch tag {
        case 1:
            self = .genesis(
                recoveryKey: try payload.readFixed(Self.recoveryKeyByteCount),
                firstDevice: try payload.readBytes(maximum: Limits.certificateByteCountMax),
                name: try payload.readString(minimum: 1, maximum: Limits.deviceNameByteCountMax)
            )
        case 2:
            self = .addDevice(
                certificate: try payload.readBytes(maximum: Limits.certificateByteCountMax),
                role: try DeviceRole(from: &payload),
                name: try payload.readString(minimum: 1, maximum: Limits.deviceNameByteCountMax)
            )
        case 3: self = .removeDevice(try DeviceRemoval(from: &payload))
        case 4: self = .replaceRecoveryKey(try payload.readFixed(Self.recoveryKeyByteCount))
        case 5: self = .pairKey(try payload.readFixed(Self.pairKeyByteCount))
        case 6: self = .renewCertificate(payload.readRest())
        case 7: self = .renewFleetKey(payload.readRest())
        case 8: self = .setName(payload.readRest())
        default: self = .unknown(tag: tag, bytes: payload.readRest())
        }
        try payload.finish()
    }
}
