extension DaemonRequest {
    /// The schemas of a container.
    package static func schema(container: String) -> DaemonRequest {
        DaemonRequest(.get, ["containers", container, "schema"])
    }

    /// The declaration of the development schema.
    package static func declareSchema(container: String, body: JSONValue) -> DaemonRequest {
        DaemonRequest(.put, ["containers", container, "schema"], body: body)
    }

    /// The check whether a schema could be promoted; without a body, of the development schema.
    package static func checkSchema(container: String, body: JSONValue?) -> DaemonRequest {
        DaemonRequest(.post, ["containers", container, "schema", "check"], body: body)
    }

    /// The promotion of the development schema.
    package static func promoteSchema(container: String) -> DaemonRequest {
        DaemonRequest(.post, ["containers", container, "schema", "promote"])
    }
}
