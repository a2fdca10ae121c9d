import Hummingbird
import KairanInterface
import Node

extension LocalRouter {
    /// Single records, and several by name.
    static var recordRoutes: [Route] { readingRoutes + writingRoutes }

    private static let path = "/v1/zones/{zone}/records"

    private static var readingRoutes: [Route] {
        [
            Route(.get, path, needs: .read, query: ["after", "limit", "desired_keys", "internal"]) {
                request,
                context,
                access in
                let keys = try request.desiredKeys()
                let page = try await access.node.records.list(
                    zone: try context.segment("zone"),
                    after: try request.parameter("after"),
                    limit: try request.number("limit", in: 1...1000, default: 200),
                    showsInternal: try request.flag("internal")
                )
                return .json(page.showing(only: keys).json)
            },
            Route(.post, "/v1/zones/{zone}/fetch", needs: .read) { request, context, access in
                let body = try await RequestObject(
                    JSONBody.read(request, limit: RequestBodyLimit.fetch),
                    allowing: ["names", "desired_keys"]
                )
                _ = try body.required("names")
                let results = try await access.node.records.fetch(
                    try body.texts("names"),
                    zone: try context.segment("zone"),
                    keys: try body.desiredKeys()
                )
                return .json(["results": .array(results.map(\.json))])
            },
            Route(.get, path + "/{name}", needs: .read, query: ["desired_keys"]) { request, context, access in
                let keys = try request.desiredKeys()
                let record = try await access.node.records.record(
                    zone: try context.segment("zone"),
                    name: try context.segment("name")
                )
                return .json(record.showing(only: keys).json)
            },
        ]
    }

    private static var writingRoutes: [Route] {
        [
            Route(.put, path + "/{name}", needs: .write) { request, context, access in
                let zone = try context.segment("zone")
                let name = try context.segment("name")
                let body = try await JSONBody.read(request, limit: RequestBodyLimit.record)
                do {
                    let draft = try RecordDraft(interfaceJSON: body, name: name)
                    return .json(try await access.node.records.writeOne(draft, zone: zone).json)
                } catch let error as NodeError where error.code == .versionMismatch {
                    return ProblemDocument(error).adding("sent", body).response
                }
            },
            Route(.delete, path + "/{name}", needs: .write, query: ["if_version"]) { request, context, access in
                let deletion = RecordDraft(
                    name: try context.segment("name"),
                    isDeletion: true,
                    ifVersion: try request.parameter("if_version")
                )
                return .json(try await access.node.records.writeOne(deletion, zone: try context.segment("zone")).json)
            },
        ]
    }
}

extension Result<RecordView, NodeError> {
    /// The record, or the problem.
    var json: JSONValue {
        switch self {
        case .success(let record): record.json
        case .failure(let error): ProblemDocument(error).json
        }
    }
}
