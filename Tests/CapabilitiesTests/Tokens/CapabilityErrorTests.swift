import Testing
import Wire

@testable import Capabilities

@Suite struct CapabilityErrorTests {
    static let all: [(error: CapabilityError, code: String)] = [
        (.tooLarge, "capability_too_large"),
        (.malformed(.truncated), "capability_malformed"),
        (.badSignature, "capability_bad_signature"),
        (.unknownSigner(.zero), "capability_unknown_signer"),
        (.unknownAccount(.zero), "capability_unknown_account"),
        (.wrongParent, "capability_wrong_parent"),
        (.notRoot, "capability_not_root"),
        (.tooLong, "capability_too_long"),
        (.wrongResource, "capability_wrong_resource"),
        (.wrongAudience, "capability_wrong_audience"),
        (.widened(.level), "capability_widened"),
        (.expired(at: 1), "capability_expired"),
        (.notYetValid(at: 1), "capability_not_yet_valid"),
    ]

    @Test func `each has a name of its own`() {
        for row in Self.all {
            #expect(row.error.code == row.code)
        }
        #expect(Set(Self.all.map(\.code)).count == Self.all.count)
    }

    @Test func `aspects have stable names`() {
        #expect(
            CapabilityError.Aspect.allCases.map(\.rawValue)
                == ["delegation", "depth", "level", "types", "prefix", "not_before", "expiry"]
        )
    }
}
