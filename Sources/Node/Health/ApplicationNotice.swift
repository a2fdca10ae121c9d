/// An application whose file is wrong, for people.
package struct ApplicationNotice: Sendable, Hashable {
    /// Its name.
    package let name: String
    /// Names the file, the line, the key and the allowed values.
    package let reason: String

    /// Makes a notice.
    package init(name: String, reason: String) {
        (self.name, self.reason) = (name, reason)
    }

    /// The fault, without a full stop.
    package var sentence: String { "The application \(name) is disabled: \(reason)" }
}
