/// Few colours, for what deserves a look: never the only carrier of a meaning.
struct Style: Sendable, Hashable {
    /// Whether colours are wanted.
    var isColourful: Bool

    /// Without colours.
    static let plain = Style(isColourful: false)

    /// Headings.
    func bold(_ text: String) -> String { escaped(text, "1") }
    /// What can be skipped.
    func dim(_ text: String) -> String { escaped(text, "2") }
    /// What is well.
    func good(_ text: String) -> String { escaped(text, "32") }
    /// What deserves a look.
    func warning(_ text: String) -> String { escaped(text, "33") }
    /// What is wrong.
    func bad(_ text: String) -> String { escaped(text, "31") }

    private func escaped(_ text: String, _ code: String) -> String {
        isColourful ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
