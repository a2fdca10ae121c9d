import Capabilities
import Records
import Sync
import Testing
import Wire

@testable import Node

@Suite struct `The refusal of an insufficient right` {
    private static let refusals: [(AccessRefusal, NodeError.Code)] = [
        (.unknownDevice, .forbidden), (.removedDevice, .forbidden), (.deviceRole, .deviceReadOnly),
        (.notParticipant, .rightNone), (.needs(.admin), .rightLevel), (.needsDelegation, .rightNotDelegable),
        (.notDescendant, .rightNotDescendant), (.ownerOnly, .rightOwnerOnly), (.ownerLeaves, .rightOwnerLeaves),
        (.recordType, .rightTooNarrow), (.recordName, .rightTooNarrow), (.notYetValid(at: 5), .rightNotYetValid),
        (.expired(at: 5), .rightExpired), (.rightVoid, .rightNone),
    ]

    @Test func `has a code of its own for each kind, and a way out`() throws {
        for (refusal, code) in Self.refusals {
            let error = try #require(NodeError(CommitError.refused(refusal)))
            #expect(error.code == code && !error.fix.isEmpty, "\(refusal)")
        }
        #expect(NodeError(AccessRefusal.needs(.admin)).facts == [.needed("admin")])
        #expect(NodeError(AccessRefusal.expired(at: 5)).facts == [.expiredAt(milliseconds: 5)])
        #expect(NodeError(CommitError.noRight(ZoneID.zero))?.code == .rightNone)
    }

    @Test func `names the devices and the owner that can act when a control log has no room`() {
        let key = LogKey(zone: .zero, actor: .zero, lane: .control)
        #expect(NodeError(ReplicaError.controlLogFull(key)) == .controlLogFull)
        #expect(NodeError.controlLogFull.code == .zoneControlLogFull && NodeError.controlLogFull.facts.isEmpty)
    }

    @Test func `is to try again where something is not known yet`() throws {
        let account = try #require(NodeError(CommitError.waiting(.account(.zero))))
        #expect(account.code == .rightWaiting && account.facts == [.reason("account_unknown")])
        let capability = try #require(NodeError(CommitError.waiting(.capability(.zero))))
        #expect(capability.code == .rightWaiting && capability.facts == [.reason("capability_unknown")])
    }

    @Test(arguments: CapabilityError.Aspect.allCases)
    func `names the respects in which a right to be delegated is wider`(
        aspect: CapabilityError.Aspect
    ) throws {
        let error = try #require(NodeError(CapabilityError.widened(aspect)))
        #expect(error.code == .rightWidened && error.facts == [.aspect(aspect.rawValue)])
        #expect(NodeError(CapabilityError.tooLong)?.code == .rightWidened)
        #expect(NodeError(CapabilityError.badSignature) == nil, "a mistake of ours is none of theirs")
    }
}
