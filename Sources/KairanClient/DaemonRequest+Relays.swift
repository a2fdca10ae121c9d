extension DaemonRequest {
    /// The relays that the account uses.
    package static var relays: DaemonRequest { DaemonRequest(.get, ["relays"]) }

    /// A relay to be used.
    package static func useRelay(_ link: String) -> DaemonRequest {
        DaemonRequest(.post, ["relays"], body: .object([JSONMember("link", .string(link))]))
    }

    /// A relay that is used no more.
    package static func forgetRelay(_ relay: String) -> DaemonRequest { DaemonRequest(.delete, ["relays", relay]) }

    /// The admissions of accounts for which this machine keeps parcels.
    package static var admissions: DaemonRequest { DaemonRequest(.get, ["relay", "admissions"]) }

    /// The admission of an account for which to keep parcels.
    package static func admit(_ name: String, quota: Int?, addresses: [String]) -> DaemonRequest {
        var members = [JSONMember("name", .string(name))]
        if let quota { members.append(JSONMember("quota_bytes", .integer(Int64(quota)))) }
        if !addresses.isEmpty {
            members.append(JSONMember("addresses", .array(addresses.map { .string($0) })))
        }
        return DaemonRequest(.post, ["relay", "admissions"], body: .object(members))
    }

    /// The end of an admission.
    package static func dismiss(_ admission: String) -> DaemonRequest {
        DaemonRequest(.delete, ["relay", "admissions", admission])
    }
}
