extension KairanError {
    /// A value that no record can hold.
    static func unencodable(_ error: any Error) -> KairanError {
        guard case EncodingError.invalidValue(_, let context) = error else {
            return misfit("record.unencodable", path: [], "The value does not fit into a record: \(error).")
        }
        return misfit(
            "record.unencodable",
            path: context.codingPath,
            "\(place(context.codingPath)) does not fit into a record: \(context.debugDescription)."
        )
    }

    /// A record that does not fit the type that it is read as.
    static func undecodable(_ error: any Error) -> KairanError {
        guard let error = error as? DecodingError else {
            return misfit("record.undecodable", path: [], "The record was not understood: \(error).")
        }
        switch error {
        case .keyNotFound(let key, let context):
            let path = context.codingPath + [key]
            return misfit("record.undecodable", path: path, "\(place(path)) is missing: \(context.debugDescription).")
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            return misfit(
                "record.undecodable",
                path: context.codingPath,
                "\(place(context.codingPath)) is not \(type): \(context.debugDescription)."
            )
        case .dataCorrupted(let context):
            return misfit(
                "record.undecodable",
                path: context.codingPath,
                "\(place(context.codingPath)) was not understood: \(context.debugDescription)."
            )
        @unknown default:
            return misfit("record.undecodable", path: [], "The record was not understood: \(error).")
        }
    }

    /// A record of another type than the one that it is read as.
    static func otherType(_ record: Record, expected: String) -> KairanError {
        misfit(
            "record.undecodable",
            path: [],
            "The record \(record.name) is of the type \(record.type), not \(expected)."
        )
    }

    private static func place(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "The value" : "The field " + text(path)
    }

    private static func text(_ path: [any CodingKey]) -> String {
        path.reduce("") { text, key in
            key.intValue != nil || text.isEmpty ? text + key.stringValue : text + "." + key.stringValue
        }
    }

    private static func misfit(_ code: String, path: [any CodingKey], _ detail: String) -> KairanError {
        var error = KairanError(
            .misfit,
            code: code,
            title: "A record and a type do not fit each other",
            detail: detail,
            fix: "Change the type, or read the record's fields as they are."
        )
        error.path = path.isEmpty ? nil : text(path)
        return error
    }
}
