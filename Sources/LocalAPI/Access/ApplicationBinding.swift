/// A program that may use some containers, as the administrator has written it down.
package struct ApplicationBinding: Sendable, Hashable {
    /// Whose processes it is bound to.
    package enum Subject: Sendable, Hashable {
        /// Processes of a user.
        case user(UInt32)
        /// Processes of a group's members; never the group 0, in which a place says nothing.
        case group(UInt32)
    }

    /// Its name in the configuration and in the log.
    package var name: String
    /// Whose processes it is bound to.
    package var subject: Subject
    /// The containers it may use.
    package var containers: [String]
    /// Whether it may only read.
    package var isReadOnly: Bool
    /// What it must present besides; `nil` = nothing.
    package var token: ApplicationToken?
    /// How often it may ask.
    package var rate: RequestRate
    /// What its containers' records may have together in bytes; `nil` = no limit.
    package var storageByteCountMax: UInt64?

    /// Binds an application.
    package init(
        name: String,
        subject: Subject,
        containers: [String],
        isReadOnly: Bool = false,
        token: ApplicationToken? = nil,
        rate: RequestRate = .applicationDefault,
        storageByteCountMax: UInt64? = nil
    ) {
        self.name = name
        self.subject = subject
        self.containers = containers
        self.isReadOnly = isReadOnly
        self.token = token
        self.rate = rate
        self.storageByteCountMax = storageByteCountMax
    }
}
