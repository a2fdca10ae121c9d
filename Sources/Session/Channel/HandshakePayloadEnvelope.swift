internal import Sodium

/// A handshake payload as it is encrypted: length ‖ payload ‖ length ‖ extension ‖ zeros up to a multiple of 256.
///
/// The payload is the caller's, the extension the channel's own.
enum HandshakePayloadEnvelope {
    /// The contents of an envelope.
    struct Contents: Equatable {
        var payload: [UInt8]
        var added: [UInt8]
    }

    /// Packs a payload, which must not be longer than ``ChannelLimits/payloadByteCountMax``, and an extension of at most
    /// ``ChannelLimits/extensionByteCountMax`` bytes.
    static func encode(_ payload: [UInt8], extension added: [UInt8] = []) -> [UInt8] {
        precondition(payload.count <= ChannelLimits.payloadByteCountMax, "the payload's length was checked before")
        precondition(added.count <= ChannelLimits.extensionByteCountMax, "the code fixes the extension's length")
        let step = ChannelLimits.payloadPadding
        let used = 4 + payload.count + added.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity((used + step - 1) / step * step)
        for field in [payload, added] {
            bytes.append(contentsOf: [UInt8(field.count >> 8), UInt8(field.count & 0xff)])
            bytes.append(contentsOf: field)
        }
        bytes.appendZeros((used + step - 1) / step * step - used)
        return bytes
    }

    /// Unpacks a payload.
    /// - Returns: The contents, or nothing if the form is broken.
    static func decode(_ bytes: [UInt8]) -> Contents? {
        var rest = bytes[...]
        guard
            bytes.count.isMultiple(of: ChannelLimits.payloadPadding),
            let payload = takeField(from: &rest, maximum: ChannelLimits.payloadByteCountMax),
            let added = takeField(from: &rest, maximum: ChannelLimits.extensionByteCountMax),
            rest.allSatisfy({ $0 == 0 })
        else { return nil }
        return Contents(payload: Array(payload), added: Array(added))
    }

    private static func takeField(from rest: inout ArraySlice<UInt8>, maximum: Int) -> ArraySlice<UInt8>? {
        guard let high = rest.popFirst(), let low = rest.popFirst() else { return nil }
        let count = Int(high) << 8 | Int(low)
        guard count <= maximum, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
