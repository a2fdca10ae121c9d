package import Wire

/// Why a device certificate proves nothing.
package enum CertificateError: Error, Equatable, Sendable {
    /// The bytes are no certificate.
    case malformed(WireError)

    /// The signature is not the device's.
    case badSignature
}
