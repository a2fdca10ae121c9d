extension Capability: SignedBody {
    /// The maximum number of bytes of a capability, which leaves room for the length, of two bytes, and the
    /// signature.
    package static let signedByteCountMax = Limits.signedCapabilityByteCountMax - 2 - Signature64.byteCount
}

/// A capability with its signature, which holding it here does not verify: at most 2,048 bytes together.
///
/// Its id is a hash of all of these bytes, the signature included, so that equal ids mean equal bytes.
package typealias SignedCapability = Signed<Capability>

extension SignedCapability {
    /// The capability that is signed.
    package var capability: Capability { body }

    /// The shortest encoding: no types, no prefix, no times.
    static var byteCountMin: Int { 2 + 185 + Signature64.byteCount }
}

extension Signed: WireOrdered where Body == Capability {
    package var orderKey: SignedCapabilityOrder {
        SignedCapabilityOrder(capabilityBytes: bodyBytes, signature: signature.bytes)
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
