package import Wire

/// Why a device certificate proves nothing.
package enum CertificateError: Error, Equatable, Sendable {
    /// The bytes are no certificate.
    case malformed(WireError)

    /// The signature is not the device's.
    case badSignature
}

extension CertificateError: CustomStringConvertible {
    /// The reason, for logs and as a part of a sentence.
    package var description: String {
        switch self {
        case .malformed(let error): "the certificate cannot be read: \(error)"
        case .badSignature: "the certificate's signature is not the device's"
        }
    }
}
