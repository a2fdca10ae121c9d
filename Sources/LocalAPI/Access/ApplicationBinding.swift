/// A program that may use some containers, as declared by the administrator.
package struct ApplicationBinding: Sendable, Hashable {
    /// The processes that an application is bound to.
    package enum Subject: Sendable, Hashable {
        /// Processes of a user.
        case user(UInt32)
        /// Processes of a group's members; never the group 0, because membership in it implies no privilege.
        case group(UInt32)
    }

    /// Its name in the configuration and in the log.
    package var name: String
    /// The processes that it is bound to.
    package var subject: Subject
    /// The containers that it may use.
    package var containers: [String]
    /// Whether it may only read.
    package var isReadOnly: Bool
    /// The token that it must present as well; `nil` = none.
    package var token: ApplicationToken?
    /// The limit on the rate of its requests.
    package var rate: RequestRate
    /// The limit on the total size of its containers' records in bytes; `nil` = no limit.
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
