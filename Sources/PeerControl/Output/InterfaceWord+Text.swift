import KairanClient

extension InterfaceWord {
    /// The word for people.
    var text: String { rawValue.replacing("_", with: " ") }
}
