import HTTPTypes
import Hummingbird
import KairanInterface
import Node

/// The routes for links: contents of assets in files that other programs keep.
///
/// All of them are for administrators: a link lets its caller read a file by the daemon's rights, and the list names files of the machine.
enum LinkRoutes {
    private static let place = "/v1/zones/{zone}/records/{name}/assets/{field}"

    /// All of them.
    static var all: [Route] {
        [
            Route(.post, "/v1/zones/{zone}/assets/link", needs: .admin) { request, context, access in
                let file = try await LinkedFile(JSONBody.read(request, limit: RequestBodyLimit.small))
                let zone = try context.segment("zone")
                let asset = try await context.whileWanted {
                    try await access.node.links.link(file.path, root: file.root, zone: zone)
                }
                return try .json(resource: asset.resource, status: .created)
            },
            Route(.post, place + "/link", needs: .admin, query: ["item"]) { request, context, access in
                let place = try context.assetPlace(request)
                let file = try await LinkedFile(JSONBody.read(request, limit: RequestBodyLimit.small))
                let asset = try await context.whileWanted {
                    try await access.node.links.link(file.path, root: file.root, to: place)
                }
                return try .json(asset)
            },
            Route(.post, place + "/unlink", needs: .admin, query: ["item"]) { request, context, access in
                let place = try context.assetPlace(request)
                let file = try await JSONBody.readIfAny(request, limit: RequestBodyLimit.small)
                    .flatMap { try LinkedFile(ifAny: $0) }
                return try .json(try await access.node.links.unlink(place, file: file?.path, root: file?.root))
            },
            Route(.get, "/v1/links", needs: .admin, query: ["zone", "after", "limit"]) { request, _, access in
                try .json(
                    try await access.node.links.links(
                        zone: try request.parameter("zone"),
                        after: try request.parameter("after"),
                        limit: try request.number("limit", in: 1...1000, default: 200)
                    )
                )
            },
        ]
    }
}

/// A file that a request names.
private struct LinkedFile: Sendable {
    /// The path.
    let path: String
    /// The root; `nil` with an absolute path.
    let root: String?

    init(_ json: JSONValue) throws(NodeError) {
        let body = try RequestObject(json, allowing: ["file", "root"])
        try self.init(body, try body.requiredText("file"))
    }

    /// Reads a file that may be left out, for all files.
    init?(ifAny json: JSONValue) throws(NodeError) {
        let body = try RequestObject(json, allowing: ["file", "root"])
        guard let file = try body.text("file") else {
            guard body["root"] == nil else { throw .invalid(body.place("root"), "it goes with a file") }
            return nil
        }
        try self.init(body, file)
    }

    private init(_ body: RequestObject, _ file: String) throws(NodeError) {
        root = try body.text("root")
        path = file
        guard !file.isEmpty else { throw .invalid(body.place("file"), "a path is expected") }
        if root == nil, !file.hasPrefix("/") {
            throw .invalid(body.place("file"), "an absolute path is expected, or a root beside it")
        }
        if root != nil, file.hasPrefix("/") { throw .invalid(body.place("file"), "it is beneath the root") }
    }
}
