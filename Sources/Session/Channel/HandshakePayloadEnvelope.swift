internal import Sodium

/// A handshake payload as it is encrypted: length ‖ payload ‖ length ‖ extension ‖ zeros up to a multiple of 256.
///
/// The extension has room for a later key encapsulation. Version 1 sends none and does not look at one.
enum HandshakePayloadEnvelope {
    /// Packs a payload, which must not be longer than ``ChannelLimits/payloadByteCountMax``.
    static func encode(_ payload: [UInt8]) -> [UInt8] {
        precondition(payload.count <= ChannelLimits.payloadByteCountMax, "the payload's length was checked before")
        let step = ChannelLimits.payloadPadding
        let used = 4 + payload.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity((used + step - 1) / step * step)
        bytes.append(contentsOf: [UInt8(payload.count >> 8), UInt8(payload.count & 0xff)])
        bytes.append(contentsOf: payload)
        bytes.append(contentsOf: [0, 0])
        bytes.appendZeros((used + step - 1) / step * step - used)
        return bytes
    }

    /// Unpacks a payload.
    /// - Returns: The payload, or nothing if the form is broken.
    static func decode(_ bytes: [UInt8]) -> [UInt8]? {
        var rest = bytes[...]
        guard
            bytes.count.isMultiple(of: ChannelLimits.payloadPadding),
            let payload = takeField(from: &rest, maximum: ChannelLimits.payloadByteCountMax),
            takeField(from: &rest, maximum: ChannelLimits.extensionByteCountMax) != nil,
            rest.allSatisfy({ $0 == 0 })
        else { return nil }
        return Array(payload)
    }

    private static func takeField(from rest: inout ArraySlice<UInt8>, maximum: Int) -> ArraySlice<UInt8>? {
        guard let high = rest.popFirst(), let low = rest.popFirst() else { return nil }
        let count = Int(high) << 8 | Int(low)
        guard count <= maximum, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
