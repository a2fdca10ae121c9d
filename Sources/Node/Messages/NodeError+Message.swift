import Sync
import Wire

extension NodeError {
    /// What programs are told when a message is not sent, or not there.
    init(_ refusal: MessageRefusal) {
        switch refusal {
        case .tooLarge:
            self.init(
                .messageTooLarge,
                "A message has at most \(Message.contentByteCountMax) bytes.",
                fix: "Put what is larger into a record, and send its name.",
                details: ["limit": "\(Message.contentByteCountMax)"]
            )
        case .tooManyDevices(let limit):
            self.init(
                .invalidArgument,
                "The accounts that the message is for, and this one, have more than \(limit) devices.",
                fix: "Name fewer accounts at a time, or none: then it is for all who may read the zone.",
                details: ["limit": "\(limit)"]
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
                details: ["account": account.text]
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

    /// What programs are told of a message that is not here.
    static func messageUnknown(_ text: String) -> NodeError {
        NodeError(
            .messageUnknown,
            "There is no message \"\(text)\" here, or it is not for this device.",
            fix: "`kairan inbox` lists those that wait, `kairan message ls` all of a zone."
        )
    }
}
