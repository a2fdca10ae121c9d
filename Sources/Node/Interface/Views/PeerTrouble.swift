/// The obstacle between this device and one that is in sight.
package struct PeerTrouble: Sendable, Hashable {
    /// The cause that the last dial met, in words for people.
    package var error: String
    /// The time since which dials fail, in milliseconds since 1970.
    package var sinceMilliseconds: UInt64
    /// The way out.
    package var fix: String

    /// Describes an obstacle.
    package init(error: String, sinceMilliseconds: UInt64, fix: String) {
        (self.error, self.sinceMilliseconds, self.fix) = (error, sinceMilliseconds, fix)
    }
}
