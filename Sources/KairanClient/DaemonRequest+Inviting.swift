extension DaemonRequest {
    /// An invitation.
    package static func invite(
        _ zone: String,
        terms: DaemonClient.ShareTerms,
        limits: DaemonClient.InviteLimits
    ) -> DaemonRequest {
        var members = terms.members
        members.append(JSONMember("uses", .integer(Int64(limits.uses))))
        members.append(JSONMember("expires_s", .integer(Int64(limits.seconds))))
        members.append(JSONMember("approval", .bool(limits.needsApproval)))
        if !limits.addresses.isEmpty {
            members.append(JSONMember("addresses", .array(limits.addresses.map { .string($0) })))
        }
        if limits.isCountedByRelay { members.append(JSONMember("countersigner", "relay")) }
        return DaemonRequest(.post, ["zones", zone, "invites"], body: .object(members))
    }

    /// The end of an invitation.
    package static func withdrawInvite(_ id: String, zone: String) -> DaemonRequest {
        DaemonRequest(.delete, ["zones", zone, "invites", id])
    }

    /// The approval of a request to join.
    package static func approve(_ request: String, zone: String) -> DaemonRequest {
        DaemonRequest(.post, ["zones", zone, "requests", request, "approve"])
    }

    /// The denial of a request to join.
    package static func deny(_ request: String, zone: String) -> DaemonRequest {
        DaemonRequest(.post, ["zones", zone, "requests", request, "deny"])
    }

    /// The accounts that are shut out.
    package static var blocks: DaemonRequest { DaemonRequest(.get, ["blocks"]) }

    /// An account to be shut out.
    package static func block(_ account: String) -> DaemonRequest { DaemonRequest(.put, ["blocks", account]) }

    /// An account that is shut out no more.
    package static func unblock(_ account: String) -> DaemonRequest { DaemonRequest(.delete, ["blocks", account]) }
}
