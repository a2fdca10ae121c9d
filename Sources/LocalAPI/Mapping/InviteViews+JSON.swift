import KairanClient
import Node
import Wire

extension InvitationStatus {
    var json: JSONValue {
        [
            "invite": .string(id),
            "link": .string(link),
            "rights": .string(level.name),
            "depth": .integer(Int64(delegationDepth)),
            "uses": .integer(Int64(uses)),
            "taken": .integer(Int64(taken)),
            "expires_at": JSONValue(milliseconds: expiresMilliseconds),
            "approval": .bool(needsApproval),
            "state": .string(state),
            "device": .string(device.text),
            "relay": relay.map { .string($0.text) } ?? .null,
        ]
    }
}

extension JoinRequestStatus {
    var json: JSONValue {
        [
            "request": .string(id),
            "account": .string(account.text),
            "device": .string(device.text),
            "invite": .string(invite),
            "asked_at": JSONValue(milliseconds: askedMilliseconds),
            "waits_for": .string(waitsForApproval ? "approval" : "inviter"),
        ]
    }
}

extension BlockStatus {
    var json: JSONValue {
        ["account": .string(account.text), "since": JSONValue(milliseconds: sinceMilliseconds)]
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
