import FoundationEssentials

/// The appearance of output for people: few colours, for parts that deserve a look and never as the only carrier of a
/// meaning; the form of times, and the shown length of ids.
struct Style: Sendable, Hashable {
    /// Whether colours are wanted.
    var isColourful: Bool
    /// The present, from which times are counted; `nil` for times in UTC.
    var now: Date?
    /// Whether ids are shown to their last character.
    var showsWholeIDs = false
    /// The names of accounts.
    var accounts = Labels.none
    /// The names of devices.
    var devices = Labels.none
    /// The names of zones.
    var zones = Labels.none

    /// Without colours.
    static let plain = Style(isColourful: false)

    /// A point in time: how long ago it is, or in UTC.
    func time(_ date: Date) -> String {
        now.map { Words.time(date, from: $0) } ?? Words.time(date)
    }

    /// An id: its beginning, or all of it.
    func id(_ id: String) -> String {
        showsWholeIDs ? id : Words.short(id)
    }

    /// Headings.
    func bold(_ text: String) -> String { escaped(text, "1") }
    /// Formats text that can be skipped.
    func dim(_ text: String) -> String { escaped(text, "2") }
    /// Formats text that reports success.
    func good(_ text: String) -> String { escaped(text, "32") }
    /// Formats text that deserves attention.
    func warning(_ text: String) -> String { escaped(text, "33") }
    /// Formats text that reports an error.
    func bad(_ text: String) -> String { escaped(text, "31") }

    private func escaped(_ text: String, _ code: String) -> String {
        isColourful ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
