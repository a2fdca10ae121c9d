extension DaemonRequest {
    /// A message.
    package static func send(_ message: OutgoingMessage, in zone: String) -> DaemonRequest {
        DaemonRequest(.post, ["zones", zone, "messages"], body: message.json)
    }

    /// Several messages.
    package static func send(_ messages: [OutgoingMessage], in zone: String) -> DaemonRequest {
        DaemonRequest(
            .post,
            ["zones", zone, "messages", "batch"],
            body: ["messages": .array(messages.map(\.json))]
        )
    }

    /// A page of a zone's messages.
    package static func messages(in zone: String, after number: UInt64?, limit: Int) -> DaemonRequest {
        DaemonRequest(
            .get,
            ["zones", zone, "messages"],
            query: [("after", number.map { "\($0)" }), ("limit", "\(limit)")]
        )
    }

    /// One message.
    package static func message(_ id: String) -> DaemonRequest { DaemonRequest(.get, ["messages", id]) }

    /// The raw content of a message.
    package static func content(ofMessage id: String, from offset: Int) -> DaemonRequest {
        var request = DaemonRequest(.get, ["messages", id, "content"])
        request.range = offset > 0 ? ByteSpan(from: UInt64(offset)) : nil
        return request
    }

    /// The upload of a message's content that is too large for its record.
    package static func handIn(in zone: String) -> DaemonRequest { DaemonRequest(.post, ["zones", zone, "payloads"]) }

    /// The messages in the inbox.
    package static func inbox(after number: UInt64? = nil, limit: Int, waitMilliseconds: Int) -> DaemonRequest {
        DaemonRequest(
            .get,
            ["inbox"],
            query: [
                ("after", number.map { "\($0)" }), ("limit", "\(limit)"), ("wait_ms", "\(waitMilliseconds)"),
            ]
        )
    }

    /// The end of a message on this device.
    package static func finishMessage(_ id: String) -> DaemonRequest {
        DaemonRequest(.post, ["messages", id, "finish"])
    }

    /// The end of messages on this device.
    package static func finishMessages(_ ids: [String]) -> DaemonRequest {
        DaemonRequest(.post, ["inbox", "finish"], body: ["messages": .array(ids.map { .string($0) })])
    }

    /// The end of all messages that wait on this device up to a number.
    package static func finishMessages(through number: UInt64, in zone: String?) -> DaemonRequest {
        var members = [JSONMember("through", .integer(Int64(clamping: number)))]
        if let zone { members.append(JSONMember("zone", .string(zone))) }
        return DaemonRequest(.post, ["inbox", "finish"], body: .object(members))
    }
}
