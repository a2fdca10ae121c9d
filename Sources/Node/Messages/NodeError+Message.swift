import Records
import Sync
import Wire

extension NodeError {
    /// The error of a message that is not sent, or not here.
    init(_ refusal: MessageRefusal) {
        switch refusal {
        case .tooLarge:
            self.init(
                .messageTooLarge,
                "The record of a message has at most \(Message.contentByteCountMax) bytes of content.",
                fix: "Upload larger content as a payload first, and refer to it; `kairan send --file` does this.",
                facts: [.limit(Message.contentByteCountMax)]
            )
        case .unknownPayload(let id): self = .payloadUnknown(id.text)
        case .incomplete(let id): self = .messageIncomplete(id.text)
        case .tooManyDevices(let limit):
            self.init(
                .invalidArgument,
                "The accounts that the message is for, and this one, have more than \(limit) devices.",
                fix: "Name fewer accounts at a time, or none: the message is then for all readers of the zone.",
                facts: [.limit(limit)]
            )
        case .noRecipient:
            self.init(
                .messageNoRecipient,
                "No other device could read the message.",
                fix: "Share the zone, or pair another device; `kairan status` names devices that publish no key."
            )
        case .notMember(let account):
            self.init(
                .messageNotMember,
                "The account \(account.shortText) has no right to read the zone.",
                fix: "`kairan share ls` lists the participants; `kairan share grant` grants a right.",
                facts: [.account(account.text)]
            )
        case .unknown(let id): self = .messageUnknown(id.text)
        case .notOwn(let id):
            self.init(
                .forbidden,
                "The message \(id.text) is from another account, and only its sender can replace it.",
                fix: "Reply to it."
            )
        }
    }

    /// The error of messages of which one is not sent.
    init(_ reason: SentMessages.Refusal.Reason) {
        switch reason {
        case .message(let refusal): self.init(refusal)
        case .record(let refusal): self.init(refusal, write: RecordWrite(name: "message", type: ReservedType.message))
        }
    }

    /// The error of a message that was sent or found in the same transaction, and cannot be read there.
    static let messageMissing = NodeError(
        .internalError,
        "The message is not there.",
        fix: "Report this with the log."
    )

    /// The error of a payload that no message can name.
    static func payloadUnknown(_ text: String) -> NodeError {
        NodeError(
            .payloadUnknown,
            "No payload \"\(text)\" was uploaded for this zone, or it was not used within a day.",
            fix: "Upload it again."
        )
    }

    /// The error of a message whose payload is on its way.
    static func messageIncomplete(_ text: String) -> NodeError {
        NodeError(
            .messageIncomplete,
            "The content of the message \(text) is not complete here yet.",
            fix: "It is fetched as soon as a device that has it is connected; `kairan message show` shows the progress."
        )
    }

    /// The error of a message whose content cannot be read here.
    static func contentUnreadable(_ text: String) -> NodeError {
        NodeError(
            .messageUnknown,
            "The content of the message \(text) cannot be read here: it is for others, or it is no longer kept.",
            fix: "`kairan message show` shows its state."
        )
    }

    /// The error of an upload that took more than a day.
    static var payloadForgotten: NodeError {
        NodeError(.payloadUnknown, "The payload was dropped during its upload.", fix: "Upload it again.")
    }

    /// The error of an upload that is larger than a message's payload may be.
    static var payloadTooLarge: NodeError {
        NodeError(
            .messageTooLarge,
            "A message has at most \(PayloadWriter.byteCountMax) bytes of content.",
            fix: "Divide it into several.",
            facts: [.limit(Int(clamping: PayloadWriter.byteCountMax))]
        )
    }

    /// The error of a message that is not here.
    static func messageUnknown(_ text: String) -> NodeError {
        NodeError(
            .messageUnknown,
            "There is no message \"\(text)\" here, or it is not for this device.",
            fix: "`kairan inbox` lists those that wait, `kairan message ls` all of a zone."
        )
    }
}
