import Identity
import Sodium
import Testing
import Wire

@testable import Capabilities

@Suite struct VerifiedCapabilityTests {
    typealias Fixture = TokenFixture

    @Test func `a capability that its signer signed is verified`() throws {
        let token = try Fixture.token(from: 0, to: 1)
        let verified = try VerifiedCapability(try UnverifiedCapability(token.signed.encoded))
        #expect(verified.id == token.id)
        #expect(verified.capability == token.capability)
    }

    @Test func `any changed byte of it is refused, or gives another id and a bad signature`() throws {
        let token = try Fixture.token(from: 0, to: 1)
        let bytes = token.signed.encoded
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1
            // Bytes that no longer decode as a capability cannot be verified either.
            guard let other = try? UnverifiedCapability(changed) else { continue }
            #expect(other.id != token.id, "byte \(place)")
            #expect(throws: CapabilityError.badSignature, "byte \(place)") { try VerifiedCapability(other) }
        }
    }

    @Test func `a signature for another purpose is none`() throws {
        let token = try Fixture.token(from: 0, to: 1)
        let signature = Fixture.device(of: 0).sign(token.signed.bodyBytes, context: .accountEntry)
        let other = UnverifiedCapability(SignedCapability(token.capability, signature: signature))
        #expect(throws: CapabilityError.badSignature) { try VerifiedCapability(other) }
    }

    @Test func `another device's signature is none, be it of the same account`() throws {
        let token = try Fixture.token(from: 0, to: 1)
        let signature = Fixture.device(of: 0, 1).sign(token.signed.bodyBytes, context: .capability)
        let other = UnverifiedCapability(SignedCapability(token.capability, signature: signature))
        #expect(throws: CapabilityError.badSignature) { try VerifiedCapability(other) }
    }

    @Test func `two signatures of one statement are two capabilities`() throws {
        let token = try Fixture.token(from: 0, to: 1)
        #expect(try Fixture.forged(token).id != token.id)
    }

    @Test func `bytes longer than any capability are not even read`() {
        #expect(throws: CapabilityError.tooLarge) { try UnverifiedCapability([UInt8](repeating: 0, count: 2_049)) }
        #expect(throws: CapabilityError.malformed(.tooLong(limit: 1_982))) {
            try UnverifiedCapability([UInt8](repeating: 0xFF, count: 9) + [1])
        }
        #expect(throws: CapabilityError.malformed(.truncated)) { try UnverifiedCapability([]) }
    }
}
