import Node

extension AccessRefusal {
    /// The error that the caller gets.
    var told: any Error {
        switch self {
        case .callerUnknown:
            return NodeError(
                .forbidden,
                "This process may not do this.",
                fix: "Ask as root, as the daemon's user or group, or have an application bound to this user."
            )
        case .tokenMissing:
            return RequestError(
                .tokenRequired,
                "The applications of this user must present a token.",
                fix: "Send the header \"Authorization: Bearer\" with the text of the application's token file."
            )
        case .tokenUnknown:
            return RequestError(
                .tokenUnknown,
                "The token belongs to no application of this user.",
                fix:
                    "Compare it with the application's token file; the daemon reads the file at its start and at a reload."
            )
        case .adminOnly:
            return RequestError(
                .adminOnly,
                "Applications may not do this.",
                fix: "Ask as root, as the daemon's user, or as a member of the group that its configuration names."
            )
        case .readOnly(let application):
            return RequestError(
                .readOnly,
                "The application \(application) may only read.",
                fix: "Have the administrator take read-only out of the application's file."
            )
        case .containerForeign(let application):
            return RequestError(
                .containerForeign,
                "The application \(application) is not bound to this container.",
                fix: "Use one of its own, or have the administrator add this one to the application's file."
            )
        }
    }
}
