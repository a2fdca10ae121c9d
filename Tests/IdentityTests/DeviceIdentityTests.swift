import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

@Suite struct DeviceIdentityTests {
    typealias Fixture = AccountFixture

    @Test func `a device is named by the key that verifies its signatures`() {
        let identity = Fixture.devices[0]
        let signature = identity.sign([1, 2, 3], context: .treeHead)
        let key = identity.deviceID.verifyingKey
        #expect(key.isValid(signature.signature, over: [1, 2, 3], context: .treeHead))
        #expect(!key.isValid(signature.signature, over: [1, 2, 3], context: .accountEntry))
        #expect(!key.isValid(signature.signature, over: [1, 2, 4], context: .treeHead))
    }

    @Test func `the same randomness gives the same device, other randomness another one`() {
        var (first, same, other) = (SeededGenerator(seed: 5), SeededGenerator(seed: 5), SeededGenerator(seed: 6))
        let identity = DeviceIdentity(using: &first)
        #expect(DeviceIdentity(using: &same).deviceID == identity.deviceID)
        #expect(DeviceIdentity(using: &other).deviceID != identity.deviceID)
    }

    @Test func `a certificate is verified from its bytes`() throws {
        let made = try Fixture.certificate(3)
        let read = try VerifiedCertificate(bytes: made.signed.encoded)
        #expect(read == made)
        #expect(read.device == Fixture.device(3))
        #expect(read.certificate.name == "device-3")
        let (own, other) = (Fixture.devices[3].agreementKey.publicKey, Fixture.devices[4].agreementKey.publicKey)
        #expect(read.isBound(to: own) && !read.isBound(to: other))
    }

    @Test func `no byte of a certificate can be changed`() throws {
        let bytes = try Fixture.certificate(3).signed.encoded
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x40
            #expect(throws: CertificateError.self, "byte \(index)") { try VerifiedCertificate(bytes: damaged) }
        }
        #expect(throws: CertificateError.malformed(.truncated)) { try VerifiedCertificate(bytes: []) }
    }

    @Test func `a certificate signed by another device is refused`() throws {
        let certificate = try Fixture.certificate(3).certificate
        let signature = Fixture.devices[4].sign(certificate.encoded, context: .deviceCertificate)
        let signed = SignedDeviceCertificate(certificate, signature: signature)
        #expect(throws: CertificateError.badSignature) { try signed.verified() }
    }

    @Test(arguments: ["", String(repeating: "n", count: 64)])
    func `a name that no receiver would accept is refused before it is signed`(name: String) {
        #expect(throws: CertificateError.self) { try Fixture.devices[0].certificate(name: name, issued: 0) }
    }
}
