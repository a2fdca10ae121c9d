/// A device certificate with its signature, which holding it here does not verify.
///
/// ```
/// +---------------------------+-------------------+----------------+
/// | certificate length varint | certificate bytes | signature 64 B |
/// +---------------------------+-------------------+----------------+
/// ```
package struct SignedDeviceCertificate: Hashable, Sendable {
    /// The certificate that is signed.
    package let certificate: DeviceCertificate
    /// The bytes of `certificate` as received, or as made here.
    package let certificateBytes: [UInt8]
    /// The identity key's signature over its context and `certificateBytes`.
    package let signature: Signature64

    /// Joins a certificate made here with its signature.
    package init(certificate: DeviceCertificate, signature: Signature64) {
        self.certificate = certificate
        certificateBytes = certificate.encoded
        self.signature = signature
    }
}

extension SignedDeviceCertificate: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeBytes(certificateBytes)
        writer.write(signature)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        (certificate, certificateBytes) = try reader.readKeepingBytes(maximum: Limits.certificateByteCountMax)
        signature = try Signature64(from: &reader)
    }
}
