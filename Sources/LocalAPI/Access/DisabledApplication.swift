/// An application whose file is wrong.
package struct DisabledApplication: Sendable, Hashable {
    /// Its name in the configuration and in the log.
    package var name: String
    /// The user that the file binds it to, as far as that could be read.
    package var user: UInt32?

    /// Names it.
    package init(name: String, user: UInt32?) {
        (self.name, self.user) = (name, user)
    }
}
