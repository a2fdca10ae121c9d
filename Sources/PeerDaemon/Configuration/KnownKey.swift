/// A setting that a file may have.
struct KnownKey: Sendable {
    /// The form of a value.
    enum Form: Sendable {
        /// A single text, which is checked later.
        case text
        /// A list of texts.
        case list
        /// `true` or `false`.
        case flag
        /// A whole number, not negative.
        case number
    }

    /// The form of its value.
    let form: Form
    /// The allowed values, for messages.
    let allowed: String

    init(_ form: Form, _ allowed: String) {
        self.form = form
        self.allowed = allowed
    }
}
