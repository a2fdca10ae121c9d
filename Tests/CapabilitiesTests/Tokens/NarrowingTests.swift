import Testing
import Wire

@testable import Capabilities

/// The limits of delegated capabilities, aspect by aspect.
@Suite struct NarrowingTests {
    typealias Fixture = TokenFixture

    /// The error, or `nil` when the child narrows.
    private func refusal(_ child: Capability, under parent: Capability) -> CapabilityError? {
        do {
            try child.checkNarrows(parent)
            return nil
        } catch {
            return error
        }
    }

    private func refusal(_ child: Caveats, under parent: Caveats) throws -> CapabilityError? {
        let below = try Fixture.token(from: 1, to: 2, caveats: child).capability
        return refusal(below, under: try Fixture.token(from: 0, to: 1, caveats: parent).capability)
    }

    @Test func `a child is of the parent's resource`() throws {
        let parent = try Fixture.token(from: 0, to: 1).capability
        let zone = CapabilityResource.zone(ZoneID(Digest32(word0: 0x21, word1: 0, word2: 0, word3: 0)))
        let relay = CapabilityResource.relay(DeviceID(Fixture.zone.digest))
        for resource in [zone, relay] {
            let child = try Fixture.token(from: 1, to: 2, caveats: Caveats(), resource: resource).capability
            #expect(refusal(child, under: parent) == .wrongResource)
        }
    }

    @Test func `a child is issued by the parent's audience`() throws {
        let parent = try Fixture.token(from: 0, to: 1).capability
        let child = try Fixture.token(from: 2, to: 3, caveats: Caveats()).capability
        #expect(refusal(child, under: parent) == .wrongAudience)
        // The recipient is free; also back to the issuer.
        let back = try Fixture.token(from: 1, to: 0, caveats: Caveats()).capability
        #expect(refusal(back, under: parent) == nil)
    }

    @Test(arguments: AccessLevel.allCases, AccessLevel.allCases)
    func `a child's level is at most the parent's`(child: AccessLevel, parent: AccessLevel) throws {
        let above = try Fixture.token(from: 0, to: 1, level: parent).capability
        let below = try Fixture.token(from: 1, to: 2, level: child, caveats: Caveats()).capability
        #expect(refusal(below, under: above) == (child.rawValue <= parent.rawValue ? nil : .widened(.level)))
    }

    @Test func `a right that may not be delegated is not`() throws {
        let parent = try Fixture.token(from: 0, to: 1, canDelegate: false).capability
        let child = try Fixture.token(from: 1, to: 2, canDelegate: false, caveats: Caveats()).capability
        #expect(refusal(child, under: parent) == .widened(.delegation))
    }

    @Test func `the depth falls with each step`() throws {
        for parent in 0...7 as ClosedRange<UInt8> {
            for child in 0...7 as ClosedRange<UInt8> {
                let expected: CapabilityError? = child < parent ? nil : .widened(.depth)
                let found = try refusal(Caveats(delegationDepth: child), under: Caveats(delegationDepth: parent))
                #expect(found == expected, "\(child) under \(parent)")
            }
        }
    }

    @Test(
        arguments: [
            ([], [], true), ([], ["a"], true), (["a"], [], false), (["a"], ["a"], true), (["a", "b"], ["b"], true),
            (["a"], ["a", "b"], false), (["a"], ["b"], false), (["\u{E9}"], ["e\u{301}"], false),
        ] as [([String], [String], Bool)]
    )
    func `a child names only types that the parent names`(parent: [String], child: [String], fits: Bool) throws {
        let above = Caveats(recordTypes: parent, delegationDepth: 1)
        #expect(try refusal(Caveats(recordTypes: child), under: above) == (fits ? nil : .widened(.types)))
    }

    @Test(
        arguments: [
            ("", "", true), ("", "a", true), ("a", "", false), ("a", "a", true), ("a", "ab", true), ("ab", "a", false),
            ("a", "b", false), ("e\u{301}", "\u{E9}", false), ("e", "e\u{301}", true),
        ] as [(String, String, Bool)]
    )
    func `a child's prefix extends the parent's`(parent: String, child: String, fits: Bool) throws {
        let above = Caveats(namePrefix: parent, delegationDepth: 1)
        #expect(try refusal(Caveats(namePrefix: child), under: above) == (fits ? nil : .widened(.prefix)))
    }

    @Test(
        arguments: [
            (nil, nil, true), (nil, 5, true), (5, 5, true), (5, 6, true), (5, 4, false), (5, nil, false),
            (0, nil, true),
        ] as [(UInt64?, UInt64?, Bool)]
    )
    func `a child begins no earlier`(parent: UInt64?, child: UInt64?, fits: Bool) throws {
        let above = Caveats(notBefore: parent, delegationDepth: 1)
        #expect(try refusal(Caveats(notBefore: child), under: above) == (fits ? nil : .widened(.notBefore)))
    }

    @Test(
        arguments: [
            (nil, nil, true), (nil, 5, true), (nil, .max, true), (5, 5, true), (5, 4, true), (5, 6, false),
            (5, nil, false), (.max, nil, false), (.max, .max, true),
        ] as [(UInt64?, UInt64?, Bool)]
    )
    func `a child ends no later`(parent: UInt64?, child: UInt64?, fits: Bool) throws {
        let above = Caveats(expires: parent, delegationDepth: 1)
        #expect(try refusal(Caveats(expires: child), under: above) == (fits ? nil : .widened(.expiry)))
    }

    @Test(
        arguments: [
            (nil, nil, 0, nil), (5, nil, 4, .notYetValid(at: 5)), (5, nil, 5, nil), (nil, 5, 4, nil),
            (nil, 5, 5, .expired(at: 5)), (nil, .max, .max, .expired(at: .max)), (6, 5, 5, .notYetValid(at: 6)),
        ] as [(UInt64?, UInt64?, UInt64, CapabilityError?)]
    )
    func `a time of validity begins with its first moment and ends before its last`(
        notBefore: UInt64?,
        expires: UInt64?,
        now: UInt64,
        expected: CapabilityError?
    ) {
        var found: CapabilityError?
        do {
            try Caveats(notBefore: notBefore, expires: expires).checkTime(now)
        } catch {
            found = error
        }
        #expect(found == expected)
    }

    @Test func `types and prefixes define the permitted writes`() {
        let caveats = Caveats(recordTypes: ["note"], namePrefix: "a/")
        #expect(caveats.allows(type: "note") && !caveats.allows(type: "notes"))
        #expect(caveats.allows(name: "a/b") && caveats.allows(name: "a/") && !caveats.allows(name: "a"))
        #expect(Caveats().allows(type: "x") && Caveats().allows(name: ""))
    }
}
