/// The requests about assets.
package enum AssetRequests {
    /// The upload of content for an asset of a zone's record.
    package static func upload(in zone: String) -> DaemonRequest { DaemonRequest(.post, ["zones", zone, "assets"]) }

    /// A page of the assets of a zone's records.
    package static func page(in zone: String, after cursor: String?, limit: Int) -> DaemonRequest {
        DaemonRequest(.get, ["zones", zone, "assets"], query: [("after", cursor), ("limit", "\(limit)")])
    }

    /// An asset, with its state on this device.
    package static func asset(at place: Asset.Place) -> DaemonRequest { request(.get, place) }

    /// The content of an asset, which is fetched if it is not here.
    /// - Parameters:
    ///   - place: The place that names the asset.
    ///   - span: The bytes that are wanted; `nil` for all.
    ///   - waitMilliseconds: The time that the daemon waits for the next bytes from another device.
    /// - Returns: The request.
    package static func content(at place: Asset.Place, _ span: ByteSpan?, waitMilliseconds: Int) -> DaemonRequest {
        var request = request(.get, place, ["content"], query: [("wait_ms", "\(waitMilliseconds)")])
        request.range = span
        return request
    }

    /// The wish to have an asset's content here.
    package static func fetch(_ place: Asset.Place) -> DaemonRequest { request(.post, place, ["fetch"]) }

    /// The end of that wish.
    package static func cancel(_ place: Asset.Place) -> DaemonRequest { request(.post, place, ["cancel"]) }

    /// The wish to have an asset's content dropped here, once so many other devices keep it.
    /// - Parameters:
    ///   - place: The place that names the asset.
    ///   - copies: The promises of other devices that it takes.
    ///   - countsOthers: Whether those of devices of other accounts count.
    /// - Returns: The request.
    package static func evict(_ place: Asset.Place, copies: Int, countsOthers: Bool) -> DaemonRequest {
        let body: JSONValue = ["copies": .integer(Int64(copies)), "others": .bool(countsOthers)]
        return request(.post, place, ["evict"], body: body)
    }

    /// The policy of a zone.
    package static func policy(of zone: String) -> DaemonRequest {
        DaemonRequest(.get, ["zones", zone, "assets", "policy"])
    }

    /// Another policy for a zone; `nil` for the device's default.
    package static func setPolicy(_ policy: AssetClient.Policy?, of zone: String) -> DaemonRequest {
        let path = ["zones", zone, "assets", "policy"]
        guard let policy else { return DaemonRequest(.delete, path) }
        return DaemonRequest(.put, path, body: policy.json)
    }

    /// Whether relays keep the contents of a zone, and with a policy that as well.
    package static func setKeptAtRelays(
        _ isKept: Bool,
        and policy: AssetClient.Policy? = nil,
        of zone: String
    ) -> DaemonRequest {
        let members = (policy?.json.members ?? []) + [JSONMember("relays", .bool(isKept))]
        return DaemonRequest(.put, ["zones", zone, "assets", "policy"], body: .object(members))
    }

    /// The reasons for the state of an asset; connected devices are asked if they hold it where that is wanted.
    package static func explanation(of asset: String, asksHolders: Bool = false) -> DaemonRequest {
        DaemonRequest(.get, ["assets", asset], query: [("holders", asksHolders ? "true" : nil)])
    }

    /// The assets that no record names, and their end unless they are only listed.
    package static func collect(dryRun: Bool) -> DaemonRequest {
        DaemonRequest(.post, ["assets", "collect"], body: ["dry_run": .bool(dryRun)])
    }

    static func request(
        _ method: DaemonRequest.Method,
        _ place: Asset.Place,
        _ action: [String] = [],
        query: [(name: String, value: String?)] = [],
        body: JSONValue? = nil
    ) -> DaemonRequest {
        DaemonRequest(
            method,
            ["zones", place.zone, "records", place.record, "assets", place.field] + action,
            query: [("item", place.item.map { "\($0)" })] + query,
            body: body
        )
    }
}
