import Yams

/// An operation as `docs/api/openapi.yaml` describes it.
struct DescribedOperation: Sendable {
    /// A form of the description in which the tests cannot read it.
    struct Unreadable: Error { var place: String }

    /// Method and path, like `GET /v1/status`.
    var endpoint: String
    /// The access that it demands of a caller.
    var access: String
    /// The parameters of the query.
    var query: [String]
    /// The media type of the request's body; `nil` when there is none.
    var bodyType: String?
    /// The media type of the answer when all goes well; `nil` when it has no body.
    var answerType: String?

    /// All operations of a description.
    /// - Parameter yaml: The description.
    /// - Returns: The operations, by path and method.
    /// - Throws: An error of the YAML parser, or ``Unreadable``.
    static func all(in yaml: String) throws -> [DescribedOperation] {
        guard let document = try Yams.compose(yaml: yaml), let paths = document["paths"]?.mapping else {
            throw Unreadable(place: "paths")
        }
        var operations: [DescribedOperation] = []
        for (path, methods) in paths {
            let shared = methods["parameters"]
            for (method, content) in methods.mapping ?? [:] where method.string != "parameters" {
                let endpoint = "\(method.string?.uppercased() ?? "") \(path.string ?? "")"
                guard let access = content["x-kairan-access"]?.string else { throw Unreadable(place: endpoint) }
                let parameters = try [shared, content["parameters"]].flatMap { try names($0, in: document) }
                let responses = content["responses"]?.mapping ?? [:]
                let success = responses.first { $0.key.string?.hasPrefix("2") == true }?.value
                operations.append(
                    DescribedOperation(
                        endpoint: endpoint,
                        access: access,
                        query: parameters,
                        bodyType: content["requestBody"]?["content"]?.mapping?.first?.key.string,
                        answerType: success?["content"]?.mapping?.first?.key.string
                    )
                )
            }
        }
        return operations
    }

    /// The names of the parameters that belong into the query.
    private static func names(_ list: Node?, in document: Node) throws -> [String] {
        try (list?.sequence ?? []).compactMap { entry in
            var parameter = entry
            if let reference = entry["$ref"]?.string {
                let name = reference.split(separator: "/").last.map(String.init) ?? ""
                guard let shared = document["components"]?["parameters"]?[name] else {
                    throw Unreadable(place: reference)
                }
                parameter = shared
            }
            return parameter["in"]?.string == "query" ? parameter["name"]?.string : nil
        }
    }
}
