package import Wire

/// The secret of a message, sealed to one device.
///
/// `device 32 ‖ prekey (bytes: 16, or none) ‖ sealed (bytes)`
package struct MessageEnvelope: Hashable, Sendable {
    /// The receiving device.
    let device: DeviceID
    /// The prekey that it is sealed to; `nil` for the key of the device's certificate.
    let prekey: PrekeyID?
    /// The secret, encrypted; 1 to 2,048 bytes.
    let sealed: [UInt8]

    /// The least number of bytes that an envelope has.
    static let byteCountMin = Digest32.byteCount + 3
}

extension MessageEnvelope: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(device)
        writer.writeBytes(prekey?.bytes ?? [])
        writer.writeBytes(sealed)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        device = try DeviceID(from: &reader)
        let bytes = try reader.readBytes(maximum: PrekeyID.byteCount)
        prekey = PrekeyID(bytes)
        guard bytes.isEmpty || prekey != nil else { throw .invalidValue("prekey") }
        sealed = try reader.readBytes(maximum: Limits.envelopeByteCountMax)
        guard !sealed.isEmpty else { throw .invalidValue("envelope") }
    }
}

extension MessageEnvelope: WireOrdered {
    /// By the device.
    package var orderKey: DeviceID { device }
}
