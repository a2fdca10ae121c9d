import HTTPTypes
import Hummingbird
import KairanInterface
import Node

/// The routes for assets: uploading their content, listing, reading and fetching them, and the policies of zones.
enum AssetRoutes {
    /// All of them.
    static var all: [Route] { zoneRoutes + policyRoutes + recordRoutes + upkeepRoutes }

    private static let zone = "/v1/zones/{zone}/assets"
    private static let place = "/v1/zones/{zone}/records/{name}/assets/{field}"

    /// The time that a request for content waits by default, and at most, in milliseconds.
    private static let (waitDefault, waitMax) = (30_000, 300_000)
    /// The most promises of other devices that an eviction takes.
    private static let copiesMax: Int64 = 64

    private static var zoneRoutes: [Route] {
        [
            Route(.get, zone, needs: .read, query: ["after", "limit"]) { request, context, access in
                try .json(
                    try await access.node.assets.assets(
                        zone: try context.segment("zone"),
                        after: try request.parameter("after"),
                        limit: try request.number("limit", in: 1...1000, default: 200)
                    )
                )
            },
            Route(.post, zone, needs: .write) { request, context, access in
                try await HandInRoute(
                    payloads: access.node.payloads,
                    zone: try context.segment("zone"),
                    purpose: .asset
                ).respond(to: request)
            },
        ]
    }

    private static var policyRoutes: [Route] {
        [
            Route(.get, zone + "/policy", needs: .read) { _, context, access in
                try .json(try await access.node.assets.policy(zone: try context.segment("zone")))
            },
            Route(.put, zone + "/policy", needs: .write) { request, context, access in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: ["policy", "up_to", "relays"]
                )
                let zone = try context.segment("zone")
                // A setting that is not there stays as it is; one of the two is.
                let setsRelays = body["relays"] != nil
                let isKept = try body.flag("relays")
                let setsPolicy = !setsRelays || body["policy"] != nil || body["up_to"] != nil
                let policy = try setsPolicy ? body.assetPolicy() : nil
                if setsRelays {
                    let view = try await access.node.assets.setKeptAtRelays(isKept, zone: zone)
                    guard setsPolicy else { return try .json(view) }
                }
                return try .json(try await access.node.assets.setPolicy(policy, zone: zone))
            },
            Route(.delete, zone + "/policy", needs: .write) { _, context, access in
                try .json(try await access.node.assets.setPolicy(nil, zone: try context.segment("zone")))
            },
        ]
    }

    private static var recordRoutes: [Route] {
        [
            Route(.get, place, needs: .read, query: ["item"]) { request, context, access in
                try .json(try await access.node.assets.asset(try context.assetPlace(request)))
            },
            Route(.get, place + "/content", needs: .read, query: ["item", "wait_ms"]) { request, context, access in
                let wait = try request.number("wait_ms", in: 0...waitMax, default: waitDefault)
                let content = AssetContentSource(
                    assets: access.node.assets,
                    place: try context.assetPlace(request),
                    waitMilliseconds: UInt64(wait),
                    reader: ReaderPresence(context.channel)
                )
                return try await ContentRoute(content).response(to: request, context)
            },
            // Reading the content does the same.
            Route(.post, place + "/fetch", needs: .read, query: ["item"]) { request, context, access in
                try .json(try await access.node.assets.fetch(try context.assetPlace(request)))
            },
            Route(.post, place + "/cancel", needs: .write, query: ["item"]) { request, context, access in
                try .json(try await access.node.assets.cancelFetch(try context.assetPlace(request)))
            },
            Route(.post, place + "/evict", needs: .write, query: ["item"]) { request, context, access in
                let place = try context.assetPlace(request)
                let body = try await JSONBody.readIfAny(request, limit: RequestBodyLimit.small)
                let wish = try body.map { try RequestObject($0, allowing: ["copies", "others"]) }
                let copies = try wish?.number("copies", in: 1...copiesMax, default: 1) ?? 1
                let countsOthers = try wish?.flag("others") ?? false
                let eviction = try await context.whileWanted {
                    try await access.node.assets.evict(place, copies: Int(copies), countsOthers: countsOthers)
                }
                return try .json(eviction)
            },
        ]
    }

    private static var upkeepRoutes: [Route] {
        [
            Route(.get, "/v1/assets/{asset}", needs: .read, query: ["holders"]) { request, context, access in
                let asset = try context.segment("asset")
                let asksHolders = try request.flag("holders")
                let explanation = try await context.whileWanted {
                    try await access.node.assets.explain(asset, asksHolders: asksHolders)
                }
                return try .json(explanation)
            },
            Route(.post, "/v1/assets/collect", needs: .admin) { request, _, access in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.small),
                    allowing: ["dry_run"]
                )
                return try .json(try await access.node.assets.collect(dryRun: try body.flag("dry_run")))
            },
        ]
    }
}

extension LocalRequestContext {
    /// The place of an asset that the path and the query name.
    func assetPlace(_ request: Request) throws(NodeError) -> AssetPlace {
        var item: Int?
        // As many as a record has room for.
        if try request.parameter("item") != nil { item = try request.number("item", in: 0...1_048_575, default: 0) }
        return AssetPlace(
            zone: try segment("zone"),
            record: try segment("name"),
            field: try segment("field"),
            item: item
        )
    }
}

extension RequestObject {
    /// The policy about assets; `up_to` is there with the policy of this name, and with no other.
    fileprivate func assetPolicy() throws(NodeError) -> AssetPolicyChoice {
        let word = AssetPolicySetting.Policy(rawValue: try requiredText("policy"))
        if word == .upTo {
            _ = try required("up_to")
            // A number in JSON that is exact in every language.
            return .upTo(UInt64(try number("up_to", in: 0...(1 << 53) - 1, default: 0)))
        }
        if self["up_to"] != nil { throw .invalid(place("up_to"), "it is there with the policy up_to alone") }
        switch word {
        case .never: return .never
        case .onDemand: return .onDemand
        case .always: return .always
        default:
            let words = AssetPolicySetting.Policy.known.map(\.rawValue).joined(separator: ", ")
            throw .invalid(place("policy"), "one of \(words) is expected")
        }
    }
}
