/// A device's statement of its own keys.
///
/// ```
/// +------+-------------+-------------------+------------------------+---------------+-------------+
/// |  1   | device 32 B | agreementKey 32 B | encapsulationKey bytes | issued varint | name string |
/// +------+-------------+-------------------+------------------------+---------------+-------------+
/// ```
package struct DeviceCertificate: Hashable, Sendable {
    /// The identity key, which signs the certificate.
    package let device: DeviceID
    /// The X25519 key for channels, 32 bytes.
    package let agreementKey: [UInt8]
    /// The key for envelopes; empty while there are none.
    package let encapsulationKey: [UInt8]
    /// The time at which it was made, in milliseconds since 1970 by the device's clock.
    package let issued: UInt64
    /// The name that the device gives itself, 1...63 bytes; for people, never an identity.
    package let name: String

    /// States a device's keys.
    /// - Parameters: as the properties of the same names.
    /// - Precondition: the agreement key has 32 bytes.
    package init(
        device: DeviceID,
        agreementKey: [UInt8],
        encapsulationKey: [UInt8] = [],
        issued: UInt64,
        name: String
    ) {
        precondition(agreementKey.count == Self.agreementKeyByteCount, "an X25519 key has 32 bytes")
        self.device = device
        self.agreementKey = agreementKey
        self.encapsulationKey = encapsulationKey
        self.issued = issued
        self.name = name
    }

    /// The number of bytes of an X25519 public key.
    package static let agreementKeyByteCount = 32
    /// The format that this code writes and reads.
    package static let format: UInt8 = 1
}

extension DeviceCertificate: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(Self.format)
        writer.write(device)
        writer.writeFixed(agreementKey, count: Self.agreementKeyByteCount)
        writer.writeBytes(encapsulationKey)
        writer.writeVarint(issued)
        writer.writeString(name)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        try reader.readFormat(Self.format)
        device = try DeviceID(from: &reader)
        agreementKey = try reader.readFixed(Self.agreementKeyByteCount)
        encapsulationKey = try reader.readBytes(maximum: Limits.encapsulationKeyByteCountMax)
        issued = try reader.readVarint()
        name = try reader.readString(minimum: 1, maximum: Limits.deviceNameByteCountMax)
    }
}

extension DeviceCertificate: SignedBody {
    package static var signedByteCountMax: Int { Limits.certificateByteCountMax }
}

/// A device certificate with its signature, which holding it here does not verify.
package typealias SignedDeviceCertificate = Signed<DeviceCertificate>

extension SignedDeviceCertificate {
    /// The certificate that is signed.
    package var certificate: DeviceCertificate { body }
}
