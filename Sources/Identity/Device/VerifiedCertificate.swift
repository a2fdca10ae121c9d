package import Sodium
package import Wire

/// A device certificate whose signature was checked: the device itself states these keys.
///
/// It states no rights of the device; those are in the account log. There is no way to make one but
/// ``Wire/SignedDeviceCertificate/verified()`` and its like, so holding one is the proof.
package struct VerifiedCertificate: Hashable, Sendable {
    /// The certificate as it was received, for passing on.
    package let signed: SignedDeviceCertificate

    /// The key for channels.
    package let agreementKey: AgreementPublicKey

    /// The device.
    package var device: DeviceID { signed.certificate.device }

    /// The certificate of the device.
    package var certificate: DeviceCertificate { signed.certificate }

    /// Whether the certificate states the key that a channel proved; false for a certificate that another device
    /// presents.
    /// - Parameter staticKey: The peer's static key as the handshake gave it.
    /// - Returns: Whether they are the same key.
    package func isBound(to staticKey: AgreementPublicKey) -> Bool {
        agreementKey == staticKey
    }

    /// Whether it takes the place of another one: of the same device, with the same key for channels, and newer.
    ///
    /// The channel's key stays for the life of a device: a replica with an older log has to recognise it.
    /// - Parameter other: The certificate that holds so far.
    /// - Returns: Whether it does.
    package func renews(_ other: VerifiedCertificate) -> Bool {
        device == other.device && agreementKey == other.agreementKey && certificate.issued > other.certificate.issued
    }

    fileprivate init(signed: SignedDeviceCertificate, agreementKey: AgreementPublicKey) {
        self.signed = signed
        self.agreementKey = agreementKey
    }
}

extension SignedDeviceCertificate {
    /// Checks the signature over the bytes as they were received.
    /// - Returns: The certificate as something proven.
    /// - Throws: ``CertificateError/badSignature``.
    package func verified() throws(CertificateError) -> VerifiedCertificate {
        guard
            certificate.device.verifyingKey.isValid(
                signature.signature,
                over: bodyBytes,
                context: .deviceCertificate
            )
        else { throw .badSignature }
        do {
            return VerifiedCertificate(
                signed: self,
                agreementKey: try AgreementPublicKey(bytes: certificate.agreementKey)
            )
        } catch {
            preconditionFailure("a certificate's agreement key has 32 bytes: \(error)")
        }
    }
}

extension VerifiedCertificate {
    /// Reads and checks an encoded certificate.
    /// - Parameter bytes: The bytes that a peer sent or a file holds.
    /// - Throws: ``CertificateError``.
    package init(bytes: [UInt8]) throws(CertificateError) {
        let signed: SignedDeviceCertificate
        do {
            signed = try SignedDeviceCertificate(decoding: bytes)
        } catch {
            throw .malformed(error)
        }
        self = try signed.verified()
    }
}

extension DeviceIdentity {
    /// States the device's public keys under its signature.
    /// - Parameters:
    ///   - name: The name that the device gives itself, 1 to 63 bytes of UTF-8.
    ///   - issued: Milliseconds since 1970.
    ///   - encapsulationKey: The key for envelopes; empty while there are none.
    /// - Returns: The certificate, verified by construction.
    /// - Throws: ``CertificateError/malformed(_:)`` for a name or key that no receiver would accept.
    package func certificate(
        name: String,
        issued: UInt64,
        encapsulationKey: [UInt8] = []
    ) throws(CertificateError) -> VerifiedCertificate {
        let certificate = DeviceCertificate(
            device: deviceID,
            agreementKey: agreementKey.publicKey.bytes,
            encapsulationKey: encapsulationKey,
            issued: issued,
            name: name
        )
        do {
            let bytes = try certificate.checkedEncoding()
            return VerifiedCertificate(
                signed: SignedDeviceCertificate(
                    certificate,
                    signature: sign(bytes, context: .deviceCertificate)
                ),
                agreementKey: agreementKey.publicKey
            )
        } catch {
            throw .malformed(error)
        }
    }
}
