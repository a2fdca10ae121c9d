import FoundationEssentials
import KairanInterface
import Node
import Wire

extension InvitationStatus: ResourceView {
    var resource: Invitation {
        Invitation(
            invite: id,
            link: link,
            rights: AccessRights(level),
            depth: Int(delegationDepth),
            uses: uses,
            taken: taken,
            expiresAt: Date(milliseconds: expiresMilliseconds),
            needsApproval: needsApproval,
            state: state,
            device: device.text,
            relay: relay?.text
        )
    }
}

extension JoinRequestStatus: ResourceView {
    var resource: KairanInterface.JoinRequest {
        KairanInterface.JoinRequest(
            request: id,
            account: account.text,
            device: device.text,
            invite: invite,
            askedAt: Date(milliseconds: askedMilliseconds),
            waitsFor: waitsForApproval ? .approval : .inviter
        )
    }
}

extension BlockStatus: ResourceView {
    var resource: BlockedAccount {
        BlockedAccount(account: account.text, since: Date(milliseconds: sinceMilliseconds))
    }
}

extension JoinStatus: ResourceView {
    var resource: Join {
        Join(
            zone: zone?.text,
            rights: rights.map { AccessRights($0) },
            state: Join.State(rawValue: state.rawValue)
        )
    }
}

extension OpenJoinStatus: ResourceView {
    var resource: OpenJoin {
        OpenJoin(
            invite: invite,
            account: account.text,
            state: OpenJoin.State(rawValue: state.rawValue),
            zoneName: zoneName,
            openedAt: Date(milliseconds: openedMilliseconds)
        )
    }
}

extension RequestObject {
    /// Returns whether a relay counts an invitation's uses (`relay`), and not the device (`device`).
    private func isCountedByRelay() throws(NodeError) -> Bool {
        switch try text("countersigner") {
        case nil, "device": return false
        case "relay": return true
        default: throw .invalid(place("countersigner"), "device or relay is expected")
        }
    }

    /// To how many an invitation is made, and for how long.
    func inviteLimits() throws(NodeError) -> InviteLimits {
        InviteLimits(
            uses: Int(try number("uses", in: 1...1_000, default: 1)),
            lifetimeMilliseconds: UInt64(try number("expires_s", in: 60...2_592_000, default: 604_800)) * 1_000,
            needsApproval: try flag("approval"),
            addresses: try texts("addresses"),
            isCountedByRelay: try isCountedByRelay()
        )
    }
}
