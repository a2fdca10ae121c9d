import Sync
import Wire

extension NodeError {
    /// The error of a message that is not sent, or not here.
    init(_ refusal: MessageRefusal) {
        switch refusal {
        case .tooLarge:
            self.init(
                .messageTooLarge,
                "The record of a message has at most \(Message.contentByteCountMax) bytes of what it says.",
                fix: "Hand in what is larger first, and have the message say that; `kairan send --file` does.",
                facts: [.limit(Message.contentByteCountMax)]
            )
        case .unknownPayload(let id): self = .payloadUnknown(id.text)
        case .incomplete(let id): self = .messageIncomplete(id.text)
        case .tooManyDevices(let limit):
            self.init(
                .invalidArgument,
                "The accounts that the message is for, and this one, have more than \(limit) devices.",
                fix: "Name fewer accounts at a time, or none: then it is for all who may read the zone.",
                facts: [.limit(limit)]
            )
        case .noRecipient:
            self.init(
                .messageNoRecipient,
                "No other device could read the message.",
                fix: "Share the zone, or pair another device; `kairan status` names devices that state no key."
            )
        case .notMember(let account):
            self.init(
                .messageNotMember,
                "The account \(account.shortText) may not read the zone, or not any more.",
                fix: "`kairan share ls` lists who may; `kairan share grant` lets somebody.",
                facts: [.account(account.text)]
            )
        case .unknown(let id): self = .messageUnknown(id.text)
        case .notOwn(let id):
            self.init(
                .forbidden,
                "The message \(id.text) is somebody else's, and only its sender can say something else in its place.",
                fix: "Reply to it."
            )
        }
    }

    /// The error of a payload that no message can name.
    static func payloadUnknown(_ text: String) -> NodeError {
        NodeError(
            .payloadUnknown,
            "No payload \"\(text)\" was handed in for this zone, or it was not used within a day.",
            fix: "Hand it in again."
        )
    }

    /// The error of a message whose payload is on its way.
    static func messageIncomplete(_ text: String) -> NodeError {
        NodeError(
            .messageIncomplete,
            "What the message \(text) says is not all here yet.",
            fix: "It is fetched as soon as somebody who has it is there; `kairan message show` tells how far it is."
        )
    }

    /// The error of a message whose content cannot be read here.
    static func contentUnreadable(_ text: String) -> NodeError {
        NodeError(
            .messageUnknown,
            "What the message \(text) says cannot be read here: it is for others, or it is not kept any more.",
            fix: "`kairan message show` tells how it stands with it."
        )
    }

    /// The error of an upload that took more than a day.
    static var payloadForgotten: NodeError {
        NodeError(.payloadUnknown, "The payload was forgotten while it was handed in.", fix: "Hand it in again.")
    }

    /// The error of an upload that is larger than a message's payload may be.
    static var payloadTooLarge: NodeError {
        NodeError(
            .messageTooLarge,
            "A message says at most \(PayloadWriter.byteCountMax) bytes.",
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
