import KairanInterface
import Node

/// A JSON object of a request, read strictly: an unknown member is an error, most likely a misspelling.
struct RequestObject {
    private let members: [JSONMember]
    private let path: String

    /// Checks an object.
    /// - Parameters:
    ///   - json: The JSON value of the request.
    ///   - path: The place of the value; empty for the body itself.
    ///   - names: The members that the object may have.
    /// - Throws: `invalidArgument` when it is no object, or has another member.
    init(_ json: JSONValue, at path: String = "", allowing names: [String]) throws(NodeError) {
        self.path = path
        guard let members = json.members else {
            throw .invalid(path, "an object is expected, not \(json.kindName)")
        }
        self.members = members
        for member in members where !names.contains(where: { $0.utf8.elementsEqual(member.name.utf8) }) {
            throw .invalid(place(member.name), "unknown; allowed are: \(names.joined(separator: ", "))")
        }
    }

    /// The full path of a member.
    func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    /// A member that is there.
    ///
    /// `null` is a value like others, not the absence of one: a condition that a program meant to send and has lost is
    /// refused, not left out.
    subscript(name: String) -> JSONValue? {
        members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// A member that must be there.
    func required(_ name: String) throws(NodeError) -> JSONValue {
        guard let value = self[name] else { throw .invalid(place(name), "it is missing") }
        return value
    }

    /// A text that must be there.
    func requiredText(_ name: String) throws(NodeError) -> String {
        guard let text = try text(name) else { throw .invalid(place(name), "it is missing") }
        return text
    }

    /// A text.
    func text(_ name: String) throws(NodeError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.text else {
            throw .invalid(place(name), "a string is expected, not \(value.kindName)")
        }
        return text
    }

    /// A boolean; `false` when it is not there.
    func flag(_ name: String, default absent: Bool = false) throws(NodeError) -> Bool {
        switch self[name] {
        case nil: return absent
        case .bool(let value): return value
        case let value?: throw .invalid(place(name), "true or false is expected, not \(value.kindName)")
        }
    }

    /// A whole number, however it is written; `absent` when it is not there.
    func number(_ name: String, in range: ClosedRange<Int64>, default absent: Int64) throws(NodeError) -> Int64 {
        guard let value = self[name] else { return absent }
        guard let number = value.wholeNumber, range.contains(number) else {
            throw .invalid(place(name), "a whole number of \(range.lowerBound) to \(range.upperBound) is expected")
        }
        return number
    }

    /// The elements of an array that must be there, and not empty.
    /// - Parameters:
    ///   - name: The member.
    ///   - countMax: The most elements, checked before anything is made of them.
    /// - Returns: The elements.
    /// - Throws: `invalidArgument` with the place, `batchTooLarge`.
    func elements(_ name: String, atMost countMax: Int = .max) throws(NodeError) -> [JSONValue] {
        guard let elements = try required(name).elements else { throw .invalid(place(name), "an array is expected") }
        guard !elements.isEmpty else { throw .invalid(place(name), "at least one element is expected") }
        guard elements.count <= countMax else {
            throw NodeError(
                .batchTooLarge,
                "\(place(name)) has \(elements.count) elements; at most \(countMax) are allowed.",
                fix: "Send several requests.",
                facts: [.limit(countMax)]
            )
        }
        return elements
    }

    /// An array of texts; empty when it is not there.
    func texts(_ name: String) throws(NodeError) -> [String] {
        guard let value = self[name] else { return [] }
        let texts = value.elements?.compactMap(\.text)
        guard let texts, texts.count == value.elements?.count else {
            throw .invalid(place(name), "an array of strings is expected")
        }
        return texts
    }
}

extension JSONValue {
    /// The value as a whole number of 64 bits: `3`, and `3.0`, which is the same to JSON Schema.
    var wholeNumber: Int64? {
        switch self {
        case .integer(let number): number
        case .number(let number): Int64(exactly: number)
        default: nil
        }
    }
}

extension NodeError {
    /// A value that is not allowed, with the place where it was written.
    static func invalid(_ path: String, _ reason: String) -> NodeError {
        NodeError(
            .invalidArgument,
            path.isEmpty ? "The body: \(reason)." : "\(path): \(reason).",
            fix: "Correct the value and send the request again.",
            facts: path.isEmpty ? [] : [.field(path)]
        )
    }
}
