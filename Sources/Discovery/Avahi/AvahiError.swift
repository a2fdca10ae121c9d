internal import CAvahi

/// An error code of Avahi with its text.
struct AvahiError: Error, Hashable, CustomStringConvertible {
    /// A name is taken.
    static let collision = AvahiError(code: Int32(AVAHI_ERR_COLLISION))
    /// The daemon does not run, or there is no D-Bus.
    static let noDaemon = AvahiError(code: Int32(AVAHI_ERR_NO_DAEMON))
    /// The connection to the daemon is gone.
    static let disconnected = AvahiError(code: Int32(AVAHI_ERR_DISCONNECTED))
    /// No answer came.
    static let timeout = AvahiError(code: Int32(AVAHI_ERR_TIMEOUT))
    /// No memory.
    static let noMemory = AvahiError(code: Int32(AVAHI_ERR_NO_MEMORY))
    /// An unspecific failure.
    static let failure = AvahiError(code: Int32(AVAHI_ERR_FAILURE))

    /// The code: negative, `AVAHI_ERR_…`.
    let code: Int32

    /// Avahi's own words.
    var description: String {
        // SAFETY: avahi_strerror returns a string that lives for ever, for any code.
        guard let text = unsafe avahi_strerror(code) else { return "Avahi error \(code)" }
        return unsafe String(cString: text)
    }
}
