/// A capability with its signature, which holding it here does not verify.
///
/// ```
/// +--------------------------+------------------+----------------+
/// | capability length varint | capability bytes | signature 64 B |   at most 2,048 bytes together
/// +--------------------------+------------------+----------------+
/// ```
///
/// Its id is a hash of all of these bytes, the signature included, so that equal ids mean equal bytes.
package struct SignedCapability: Hashable, Sendable {
    /// The capability that is signed.
    package let capability: Capability
    /// The bytes of `capability` as received, or as made here.
    package let capabilityBytes: [UInt8]
    /// The signer's signature over its context and `capabilityBytes`.
    package let signature: Signature64

    /// Joins a capability made here with its signature.
    package init(capability: Capability, signature: Signature64) {
        self.capability = capability
        capabilityBytes = capability.encoded
        self.signature = signature
    }

    /// The maximum number of bytes of a capability, which leaves room for the length, of two bytes, and the
    /// signature.
    package static let capabilityByteCountMax = Limits.signedCapabilityByteCountMax - 2 - Signature64.byteCount
    /// The shortest encoding: no types, no prefix, no times.
    static let byteCountMin = 2 + 185 + Signature64.byteCount
}

extension SignedCapability: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeBytes(capabilityBytes)
        writer.write(signature)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        (capability, capabilityBytes) = try reader.readKeepingBytes(maximum: Self.capabilityByteCountMax)
        signature = try Signature64(from: &reader)
    }
}

extension SignedCapability: WireOrdered {
    package var orderKey: SignedCapabilityOrder {
        SignedCapabilityOrder(capabilityBytes: capabilityBytes, signature: signature.bytes)
    }
}

/// The order of signed capabilities in a list: by the bytes of the capability, then of the signature.
///
/// By bytes and not by ids, because an id takes a hash, and whether an encoding is canonical is decided without any.
package struct SignedCapabilityOrder: Comparable, Sendable {
    fileprivate let capabilityBytes: [UInt8]
    fileprivate let signature: [UInt8]

    /// The order of the bytes.
    package static func < (left: Self, right: Self) -> Bool {
        if left.capabilityBytes != right.capabilityBytes {
            return left.capabilityBytes.lexicographicallyPrecedes(right.capabilityBytes)
        }
        return left.signature.lexicographicallyPrecedes(right.signature)
    }
}
