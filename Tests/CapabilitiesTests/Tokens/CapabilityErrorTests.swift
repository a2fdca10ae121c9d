import Testing
import Wire

@testable import Capabilities

@Suite struct CapabilityErrorTests {
    static let all: [(error: CapabilityError, code: String, peer: CapabilityPeerCode, isLasting: Bool)] = [
        (.tooLarge, "capability_too_large", .invalid, true),
        (.malformed(.truncated), "capability_malformed", .invalid, true),
        (.badSignature, "capability_bad_signature", .invalid, true),
        (.unknownSigner(.zero), "capability_unknown_signer", .invalid, false),
        (.unknownAccount(.zero), "capability_unknown_account", .incomplete, false),
        (.missingParent(.zero), "capability_missing_parent", .incomplete, false),
        (.wrongParent, "capability_wrong_parent", .invalid, true),
        (.notRoot, "capability_not_root", .invalid, false),
        (.tooLong, "capability_too_long", .invalid, true),
        (.wrongResource, "capability_wrong_resource", .invalid, true),
        (.wrongAudience, "capability_wrong_audience", .invalid, true),
        (.widened(.level), "capability_widened", .invalid, true),
        (.expired(at: 1), "capability_expired", .notCurrent, false),
        (.notYetValid(at: 1), "capability_not_yet_valid", .notCurrent, false),
    ]

    @Test func `each has a name of its own, says little to peers, and lasts exactly if the bytes alone decide it`() {
        for row in Self.all {
            #expect(row.error.code == row.code)
            #expect(row.error.peerCode == row.peer, "\(row.code)")
            #expect(row.error.isLasting == row.isLasting, "\(row.code)")
        }
        #expect(Set(Self.all.map(\.code)).count == Self.all.count)
    }

    @Test func `aspects and codes for peers have stable names`() {
        #expect(
            CapabilityError.Aspect.allCases.map(\.rawValue)
                == ["delegation", "depth", "level", "types", "prefix", "not_before", "expiry"]
        )
        #expect(
            CapabilityPeerCode.allCases.map(\.rawValue)
                == ["capability_invalid", "capability_incomplete", "capability_not_current"]
        )
    }
}
