package import Wire

/// A capability as received: well-formed, and nothing more.
package struct UnverifiedCapability: Hashable, Sendable {
    /// See ``SignedCapability/id``.
    package let id: Hash
    /// The claimed capability, with the exact bytes that the signature allegedly covers.
    package let signed: SignedCapability

    /// Names a capability that came inside of something else, such as a control operation.
    package init(_ signed: SignedCapability) {
        self.signed = signed
        id = signed.id
    }

    /// Reads a capability.
    /// - Parameter bytes: The bytes as received.
    /// - Throws: ``CapabilityError/tooLarge``, ``CapabilityError/malformed(_:)``.
    package init(_ bytes: [UInt8]) throws(CapabilityError) {
        guard bytes.count <= Limits.signedCapabilityByteCountMax else { throw .tooLarge }
        do {
            self.init(try SignedCapability(decoding: bytes))
        } catch {
            throw .malformed(error)
        }
    }

    /// The claimed capability.
    package var capability: Capability { signed.capability }
}
