import KairanInterface
import Node
import Synchronization
import Wire

extension FakeNode {
    static let messageID = String(repeating: "ab", count: 16)
    static let payloadID = PayloadID(Digest32(Array(repeating: 6, count: 32)) ?? .zero)

    /// A message of the fake node.
    /// - Parameters: as the properties of `MessageView`; those that are left out are the same in each.
    static func message(
        _ id: String = messageID,
        number: UInt64 = 7,
        contentType: String = "text/plain; charset=utf-8",
        content: [UInt8]? = Array("Milk\u{1B}[2J, please".utf8),
        state: Message.State = .waiting
    ) -> MessageView {
        MessageView(
            id: id,
            zone: zoneID,
            number: number,
            account: participant.account,
            device: other,
            sentAt: 1_700_000_000_000,
            byteCount: UInt64(content?.count ?? 5),
            contentType: contentType,
            content: content,
            state: state
        )
    }

    func send(_ draft: MessageDraft, zone: String) async throws(NodeError) -> MessageView {
        let about = draft.about.map { "\($0.kind) \($0.message)" } ?? "-"
        let lifetime = draft.lifetimeMilliseconds.map { "\($0)" } ?? "-"
        let content = draft.payload ?? "\(draft.content.count)"
        try enter("send \(content) \(draft.contentType) \(draft.recipients) \(about) \(lifetime)")
        try checkZone(zone)
        var message = Self.message(contentType: draft.contentType, content: draft.content, state: .sent)
        if let payload = draft.payload {
            guard payload == Self.payloadID.text else {
                throw NodeError(.payloadUnknown, "There is no such payload.", fix: "Hand it in.")
            }
            message.content = nil
            message.byteCount = UInt64(state.withLock { $0.handedIn.count })
            message.payload = PayloadProgress(id: Self.payloadID, state: .present, percent: 100)
        }
        message.account = Self.account
        message.device = Self.device
        message.about = draft.about
        message.expiresAt = draft.lifetimeMilliseconds.map { message.sentAt + $0 }
        if !draft.recipients.isEmpty { message.recipients = [Self.participant.account] }
        return message
    }

    func handIn<Bytes: AsyncSequence & Sendable>(
        _ bytes: Bytes,
        zone: String,
        announced: UInt64?
    ) async throws(NodeError) -> PayloadView where Bytes.Element == [UInt8] {
        try enter("handIn")
        try checkZone(zone)
        state.withLock { ($0.handedIn, $0.announced) = ([], announced) }
        do {
            for try await piece in bytes {
                let (count, notice) = state.withLock { state in
                    state.handedIn += piece
                    return (state.handedIn.count, state.whenHandedIn)
                }
                try await notice?(count)
            }
        } catch {
            state.withLock { $0.calls.append("abandoned") }
            // Like the real node when the request brings no more.
            throw (error as? NodeError) ?? NodeError(.notReady, "The request was cancelled.", fix: "Try again.")
        }
        let count = UInt64(state.withLock { $0.handedIn.count })
        return PayloadView(id: Self.payloadID, zone: Self.zoneID, byteCount: count)
    }

    func content(ofMessage id: String, from offset: UInt64) async throws(NodeError) -> ContentPart {
        try enter("content \(id) \(offset)")
        guard id == Self.messageID else { throw Self.unknownMessage }
        let (content, count, failure) = state.withLock { ($0.content, $0.contentPartByteCount, $0.contentFailure) }
        if let failure, offset >= failure.offset { throw failure.error }
        var part = content
        part.bytes = Array(content.bytes.dropFirst(Int(clamping: offset)).prefix(count))
        return part
    }

    func list(zone: String, after number: UInt64?, limit: Int) async throws(NodeError) -> MessagePage {
        try enter("messages after:\(number.map { "\($0)" } ?? "-") limit:\(limit)")
        try checkZone(zone)
        var first = Self.message()
        if let payload = state.withLock({ $0.payload }) {
            first = Self.message(content: nil, state: payload.state == .fetching ? .fetching : .waiting)
            (first.payload, first.byteCount) = (payload, 3 << 20)
        }
        let messages = [first, Self.message(number: 9, content: nil, state: .forOthers)]
        let rest = messages.filter { $0.number > number ?? 0 }
        return MessagePage(messages: Array(rest.prefix(limit)), next: rest.count > limit ? rest[limit - 1].number : nil)
    }

    func message(_ id: String) async throws(NodeError) -> MessageView {
        try enter("message \(id)")
        guard id == Self.messageID else { throw Self.unknownMessage }
        var message = Self.message(state: .sent)
        message.deliveries = [
            DeliveryView(account: Self.account, device: Self.device, state: .queued),
            DeliveryView(account: Self.participant.account, device: Self.other, state: .read),
        ]
        return message
    }

    func inbox(after number: UInt64?, limit: Int, waitMilliseconds: Int) async throws(NodeError) -> [MessageView] {
        try enter("inbox \(number.map { "\($0)" } ?? "-") \(limit) \(waitMilliseconds)")
        let isWanted = { (message: MessageView) in message.number > number ?? 0 }
        let (waiting, gate) = state.withLock { ($0.inbox.filter(isWanted), $0.gate) }
        if waiting.isEmpty, waitMilliseconds > 0, let gate {
            await gate()
            state.withLock { $0.hasSeenCancellation = Task.isCancelled }
        }
        return Array(state.withLock { $0.inbox.filter(isWanted) }.prefix(limit))
    }

    func finishMessage(_ id: String) async throws(NodeError) {
        try enter("finish \(id)")
        let isKnown = state.withLock { state in
            defer { state.inbox.removeAll { $0.id == id } }
            return id == Self.messageID || state.inbox.contains { $0.id == id }
        }
        guard isKnown else { throw Self.unknownMessage }
    }

    func send(_ drafts: [MessageDraft], zone: String) async throws(NodeError) -> [MessageView] {
        var views: [MessageView] = []
        for (index, draft) in drafts.enumerated() {
            do throws(NodeError) {
                views.append(try await send(draft, zone: zone))
            } catch {
                throw error.ofWrite(at: index)
            }
        }
        return views
    }

    func finishMessages(_ ids: [String]) async throws(NodeError) -> [UnfinishedMessage] {
        var refused: [UnfinishedMessage] = []
        for id in ids {
            do throws(NodeError) {
                try await finishMessage(id)
            } catch {
                refused.append(UnfinishedMessage(message: id, error: error))
            }
        }
        return refused
    }

    func finishMessages(through number: UInt64, zone: String?) async throws(NodeError) -> Int {
        try enter("finish through \(number) \(zone ?? "-")")
        if let zone { try checkZone(zone) }
        return state.withLock { state in
            let count = state.inbox.count
            state.inbox.removeAll { $0.number <= number }
            return count - state.inbox.count
        }
    }

    private static let unknownMessage = NodeError(
        .messageUnknown,
        "There is no message with this id.",
        fix: "List the messages."
    )
}
