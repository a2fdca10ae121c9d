extension DaemonRequest {
    /// Whether the caller can work with the account now.
    package static var accountStatus: DaemonRequest { DaemonRequest(.get, ["account", "status"]) }
    /// All containers.
    package static var containers: DaemonRequest { DaemonRequest(.get, ["containers"]) }
    /// One container.
    package static func container(_ name: String) -> DaemonRequest { DaemonRequest(.get, ["containers", name]) }

    /// Zones that are not there any more.
    package static var goneZones: DaemonRequest { DaemonRequest(.get, ["gone-zones"]) }

    /// A zone of this account and another one.
    package static func pairZone(name: String, container: String, with account: String) -> DaemonRequest {
        DaemonRequest(
            .post,
            ["zones"],
            body: ["name": .string(name), "container": .string(container), "pair_with": .string(account)]
        )
    }

    /// A container's default zone.
    package static func defaultZone(of container: String) -> DaemonRequest {
        DaemonRequest(.post, ["zones"], body: ["container": .string(container), "default": true])
    }
}
