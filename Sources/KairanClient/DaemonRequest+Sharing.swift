extension DaemonRequest {
    /// The owner, the participants and the public access of a zone.
    package static func share(of zone: String) -> DaemonRequest { DaemonRequest(.get, ["zones", zone, "shares"]) }

    /// A right for an account.
    package static func share(_ zone: String, with account: String, terms: DaemonClient.ShareTerms) -> DaemonRequest {
        var members = [JSONMember("account", .string(account))] + terms.members
        if let seconds = terms.seconds { members.append(JSONMember("expires_s", .integer(Int64(seconds)))) }
        return DaemonRequest(.post, ["zones", zone, "shares"], body: .object(members))
    }

    /// The end of an account's rights.
    package static func revokeShare(
        _ zone: String,
        account: String,
        reason: String?,
        keepsBelow: Bool = false
    ) -> DaemonRequest {
        let query = [("reason", reason), ("keep_below", keepsBelow ? "true" : nil)]
        return DaemonRequest(.delete, ["zones", zone, "shares", account], query: query)
    }

    /// The move of the cuts of an account's writes, so that more of them are effective.
    package static func raiseCut(_ zone: String, account: String) -> DaemonRequest {
        DaemonRequest(.post, ["zones", zone, "shares", account, "raise-cut"])
    }

    /// Another key.
    package static func rotateEpoch(_ zone: String) -> DaemonRequest {
        DaemonRequest(.post, ["zones", zone, "epochs"])
    }

    /// The end of this account's own rights.
    package static func leave(_ zone: String) -> DaemonRequest { DaemonRequest(.post, ["zones", zone, "leave"]) }

    /// A zone for another account, which has to consent.
    package static func offerTransfer(_ zone: String, to account: String, keeping rights: String?) -> DaemonRequest {
        var members = [JSONMember("account", .string(account))]
        if let rights { members.append(JSONMember("keep", .string(rights))) }
        return DaemonRequest(.post, ["zones", zone, "transfer"], body: .object(members))
    }

    /// The withdrawal of a zone's offer.
    package static func withdrawTransfer(_ zone: String) -> DaemonRequest {
        DaemonRequest(.delete, ["zones", zone, "transfer"])
    }

    /// The answer to a zone's offer.
    package static func answerTransfer(_ zone: String, accepting accepts: Bool) -> DaemonRequest {
        DaemonRequest(.post, ["zones", zone, "transfer", accepts ? "accept" : "decline"])
    }

    /// A change to the rights of accounts without a capability; `nil` leaves a right unchanged.
    package static func setPublicAccess(
        _ zone: String,
        world: [PublicAccess.Right]?,
        authenticated: [PublicAccess.Right]?,
        creator: [PublicAccess.Right]?
    ) -> DaemonRequest {
        let said = [("world", world), ("authenticated", authenticated), ("creator", creator)]
        let members = said.compactMap { name, rights in
            rights.map { JSONMember(name, .array($0.map { .string($0.rawValue) })) }
        }
        return DaemonRequest(.put, ["zones", zone, "public"], body: .object(members))
    }
}

extension DaemonClient.ShareTerms {
    /// The right and its limits as JSON members, except for the validity.
    var members: [JSONMember] {
        var members = [JSONMember("rights", .string(rights.rawValue))]
        if depth > 0 { members.append(JSONMember("depth", .integer(Int64(depth)))) }
        if !types.isEmpty { members.append(JSONMember("types", .array(types.map { .string($0) }))) }
        if !prefix.isEmpty { members.append(JSONMember("prefix", .string(prefix))) }
        return members
    }
}
