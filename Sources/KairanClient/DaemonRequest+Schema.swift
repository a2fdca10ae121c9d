extension DaemonRequest {
    /// The schemas of a container.
    package static func schema(container: String) -> DaemonRequest {
        DaemonRequest(.get, ["containers", container, "schema"])
    }

    /// The declaration of what development looks like.
    package static func declareSchema(container: String, body: JSONValue) -> DaemonRequest {
        DaemonRequest(.put, ["containers", container, "schema"], body: body)
    }

    /// What would be refused if a schema were promoted; that of development without a body.
    package static func checkSchema(container: String, body: JSONValue?) -> DaemonRequest {
        DaemonRequest(.post, ["containers", container, "schema", "check"], body: body)
    }

    /// The promotion of what development looks like.
    package static func promoteSchema(container: String) -> DaemonRequest {
        DaemonRequest(.post, ["containers", container, "schema", "promote"])
    }
}
