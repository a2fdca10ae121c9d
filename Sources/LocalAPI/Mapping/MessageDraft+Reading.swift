import FoundationEssentials
import KairanClient
import Node

extension MessageDraft {
    /// Ten years.
    private static let lifetimeMillisecondsMax: Int64 = 315_360_000_000

    /// How another message is named, each by what this one is to it.
    static let references: [(name: String, kind: MessageReference.Kind)] = [
        ("reply_to", .reply), ("edits", .edit), ("reacts_to", .reaction),
    ]

    /// Reads what is to be sent.
    /// - Parameter json: The body.
    /// - Throws: `invalidArgument` with the place.
    init(interfaceJSON json: JSONValue) throws(NodeError) {
        let body = try RequestObject(
            json,
            allowing: ["text", "data", "content_type", "to"] + Self.references.map(\.name) + ["expires_in_ms"]
        )
        let (content, usualType) = try Self.content(body)
        var lifetime: UInt64?
        if body["expires_in_ms"] != nil {
            lifetime = UInt64(try body.number("expires_in_ms", in: 1...Self.lifetimeMillisecondsMax, default: 1))
        }
        self.init(
            content: content,
            contentType: try body.text("content_type") ?? usualType,
            recipients: try body.texts("to"),
            about: try Self.about(body),
            lifetimeMilliseconds: lifetime
        )
    }

    /// What it says, and the type that it has when none is named.
    private static func content(_ body: RequestObject) throws(NodeError) -> (bytes: [UInt8], type: String) {
        switch (try body.text("text"), try body.text("data")) {
        case (let text?, nil): return (Array(text.utf8), "text/plain; charset=utf-8")
        case (nil, let text?):
            guard let data = Data(base64Encoded: text) else {
                throw .invalid(body.place("data"), "base64 is expected")
            }
            return (Array(data), "application/octet-stream")
        case (nil, nil): throw .invalid(body.place("text"), "it is missing, and so is data; one of them is expected")
        case (_?, _?): throw .invalid(body.place("data"), "text is there too; one of them is expected")
        }
    }

    /// The message that it is about.
    private static func about(_ body: RequestObject) throws(NodeError) -> MessageReference? {
        var about: MessageReference?
        for (name, kind) in references {
            guard let message = try body.text(name) else { continue }
            guard about == nil else {
                let names = references.map(\.name).joined(separator: ", ")
                throw .invalid(body.place(name), "a message is about one other at most: give one of \(names)")
            }
            about = MessageReference(kind: kind, message: message)
        }
        return about
    }
}
