/// An X25519 public key: every 32 bytes are one (RFC 7748), bad ones show in the agreement.
package typealias AgreementPublicKey = FixedBytes<AgreementPublicKind>

/// The kind of `AgreementPublicKey`.
package enum AgreementPublicKind: FixedBytesKind {
    package static let byteCount = 32
}
