import FoundationEssentials
import KairanInterface
import Node

extension MessageDraft {
    /// Ten years.
    private static let lifetimeMillisecondsMax: Int64 = 315_360_000_000

    /// The members that name another message, each with the relation of this message to it.
    static let references: [(name: String, kind: MessageReference.Kind)] = [
        ("reply_to", .reply), ("edits", .edit), ("reacts_to", .reaction),
    ]

    /// Reads the message to send.
    /// - Parameters:
    ///   - json: The message.
    ///   - path: Its place in the body; empty for the body itself.
    /// - Throws: `invalidArgument` with the place.
    init(interfaceJSON json: JSONValue, at path: String = "") throws(NodeError) {
        let body = try RequestObject(
            json,
            at: path,
            allowing: Self.contents + ["content_type", "to"] + Self.references.map(\.name) + ["expires_in_ms"]
        )
        let (content, payload, usualType) = try Self.content(body)
        var lifetime: UInt64?
        if body["expires_in_ms"] != nil {
            lifetime = UInt64(try body.number("expires_in_ms", in: 1...Self.lifetimeMillisecondsMax, default: 1))
        }
        self.init(
            content: content,
            payload: payload,
            contentType: try body.text("content_type") ?? usualType,
            recipients: try body.texts("to"),
            about: try Self.about(body),
            lifetimeMilliseconds: lifetime
        )
    }

    /// The members that can hold the content.
    private static let contents = ["text", "data", "payload"]

    /// Returns the content, and its default media type.
    private static func content(
        _ body: RequestObject
    ) throws(NodeError) -> (bytes: [UInt8], payload: String?, type: String) {
        let names = contents.filter { body[$0] != nil }
        guard let name = names.first else {
            let others = contents.dropFirst().joined(separator: " and ")
            throw .invalid(body.place(contents[0]), "it is missing, and so are \(others); one of them is expected")
        }
        guard names.count == 1 else {
            throw .invalid(body.place(names[1]), "\(name) is given too; one of them is expected")
        }
        let text = try body.requiredText(name)
        switch name {
        case "text": return (Array(text.utf8), nil, "text/plain; charset=utf-8")
        case "payload": return ([], text, "application/octet-stream")
        default:
            guard let data = Data(base64Encoded: text) else {
                throw .invalid(body.place(name), "base64 is expected")
            }
            return (Array(data), nil, "application/octet-stream")
        }
    }

    /// Returns the earlier message that this one refers to.
    private static func about(_ body: RequestObject) throws(NodeError) -> MessageReference? {
        var about: MessageReference?
        for (name, kind) in references {
            guard let message = try body.text(name) else { continue }
            guard about == nil else {
                let names = references.map(\.name).joined(separator: ", ")
                throw .invalid(body.place(name), "a message refers to one other at most: give one of \(names)")
            }
            about = MessageReference(kind: kind, message: message)
        }
        return about
    }
}
