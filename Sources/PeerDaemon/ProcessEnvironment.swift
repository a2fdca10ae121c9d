import Invocation

/// The process's environment.
enum ProcessEnvironment {
    /// The arguments and the environment of this process.
    /// - Throws: `NotUTF8` for an argument, or a variable that the daemon looks at, which is none.
    static func invocation() throws(NotUTF8) -> Invocation { try Invocation.current(reading: Invocation.isRead) }

    /// All variables by name, except those that are not UTF-8; the daemon does not start if it needs one of these.
    static var variables: [String: String] {
        (try? Invocation.current { _ in false }.environment) ?? [:]
    }
}
