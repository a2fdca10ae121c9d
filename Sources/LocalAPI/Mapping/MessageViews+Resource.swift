import FoundationEssentials
import KairanInterface
import Node
import Wire

extension MessageView: ResourceView {
    var resource: Message {
        let text = contentAsText
        return Message(
            message: id,
            zone: zone.text,
            number: number,
            from: account.text,
            device: device.text,
            sentAt: Date(milliseconds: sentAt),
            expiresAt: expiresAt.map(Date.init(milliseconds:)),
            size: Int(clamping: byteCount),
            contentType: contentType,
            text: text,
            data: text == nil ? content.map { Data($0) } : nil,
            payload: payload.map {
                MessagePayload(payload: $0.id.text, state: $0.state, percent: min(max($0.percent, 0), 100))
            },
            recipients: recipients.map(\.text),
            replyTo: message(.reply),
            edits: message(.edit),
            reactsTo: message(.reaction),
            state: state,
            deliveries: deliveries.map { deliveries in
                deliveries.map {
                    MessageDelivery(account: $0.account.text, device: $0.device.text, state: $0.state)
                }
            }
        )
    }

    /// The content, if it is valid and of a text type, so that readers need not decode it.
    private var contentAsText: String? {
        // Names of media types are the same in capital letters (RFC 9110 §8.3.1).
        guard let content, contentType.prefix(5).lowercased() == "text/" else { return nil }
        return String(validating: content, as: UTF8.self)
    }

    /// The message that it is about, if it is about one in this way.
    private func message(_ kind: MessageReference.Kind) -> String? {
        about.flatMap { $0.kind == kind ? $0.message : nil }
    }
}

extension PayloadView: ResourceView {
    var resource: Payload { Payload(payload: id.text, zone: zone.text, size: Int(clamping: byteCount)) }
}

extension MessagePage: ResourceView {
    var resource: MessageList { MessageList(messages: messages.map(\.resource), next: next) }
}
