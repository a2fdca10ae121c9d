import FoundationEssentials
import KairanClient
import Node
import Wire

extension MessageView {
    /// The message; members without a value are left out.
    var json: JSONValue {
        var members = [
            JSONMember("message", .string(id)), JSONMember("zone", .string(zone.text)),
            JSONMember("number", .integer(Int64(clamping: number))), JSONMember("from", .string(account.text)),
            JSONMember("device", .string(device.text)),
            JSONMember("sent_at", JSONValue(milliseconds: sentAt)),
        ]
        if let expiresAt { members.append(JSONMember("expires_at", JSONValue(milliseconds: expiresAt))) }
        members.append(JSONMember("size", .integer(Int64(clamping: byteCount))))
        members.append(JSONMember("content_type", .string(contentType)))
        if let content { members.append(contentMember(content)) }
        if let payload { members.append(JSONMember("payload", payload.json)) }
        members.append(JSONMember("to", .array(recipients.map { .string($0.text) })))
        if let about, let name = MessageDraft.references.first(where: { $0.kind == about.kind })?.name {
            members.append(JSONMember(name, .string(about.message)))
        }
        members.append(JSONMember("state", .string(standing.rawValue)))
        if let deliveries { members.append(JSONMember("deliveries", .array(deliveries.map(\.json)))) }
        return .object(members)
    }

    /// Returns text for valid content of a text type, so that readers need not decode it; bytes otherwise.
    private func contentMember(_ content: [UInt8]) -> JSONMember {
        // Names of media types are the same in capital letters (RFC 9110 §8.3.1).
        if contentType.prefix(5).lowercased() == "text/", let text = String(validating: content, as: UTF8.self) {
            return JSONMember("text", .string(text))
        }
        return JSONMember("data", .string(Data(content).base64EncodedString()))
    }
}

extension PayloadProgress {
    fileprivate var json: JSONValue {
        [
            "payload": .string(id.text), "state": .string(state.rawValue),
            "percent": .integer(Int64(min(max(percent, 0), 100))),
        ]
    }
}

extension PayloadView {
    /// The uploaded payload as JSON.
    var json: JSONValue {
        ["payload": .string(id.text), "zone": .string(zone.text), "size": .integer(Int64(clamping: byteCount))]
    }
}

extension MessageDelivery {
    fileprivate var json: JSONValue {
        ["account": .string(account.text), "device": .string(device.text), "state": .string(state.rawValue)]
    }
}

extension MessagePage {
    /// The page; without `next` it is the last one.
    var json: JSONValue {
        let next = next.map { [JSONMember("next", .integer(Int64(clamping: $0)))] } ?? []
        return .object([JSONMember("messages", .array(messages.map(\.json)))] + next)
    }
}
