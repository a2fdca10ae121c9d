/// The key of an epoch, for one device.
///
/// ```
/// +-----------+--------------+
/// | device 32 | sealed bytes |
/// +-----------+--------------+
/// ```
package struct KeyEnvelope: Hashable, Sendable {
    /// The device that the envelope is for.
    package let device: DeviceID
    /// The key, encrypted to the device's encapsulation key; 1 to 2,048 bytes.
    package let sealed: [UInt8]

    /// The least number of bytes that an envelope has.
    package static let byteCountMin = Digest32.byteCount + 2

    /// An envelope.
    /// - Parameters: as the properties of the same names.
    package init(device: DeviceID, sealed: [UInt8]) {
        self.device = device
        self.sealed = sealed
    }
}

extension KeyEnvelope: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(device)
        writer.writeBytes(sealed)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        device = try DeviceID(from: &reader)
        sealed = try reader.readBytes(maximum: Limits.envelopeByteCountMax)
        guard !sealed.isEmpty else { throw .invalidValue("envelope") }
    }
}

extension KeyEnvelope: WireOrdered {
    /// By the device.
    package var orderKey: DeviceID { device }
}
