/// An Ed25519 signature, not verified by being held here.
package typealias Signature = FixedBytes<SignatureKind>

/// The kind of `Signature`.
package enum SignatureKind: FixedBytesKind {
    package static let byteCount = 64
}
