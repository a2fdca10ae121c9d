/// The way in which two devices agree on the keys of a channel.
///
/// The number stands in the channel's preamble, and the highest one ever spoken with a device is remembered.
package enum ChannelVersion: UInt8, CaseIterable, Comparable, Hashable, Sendable {
    /// X25519 alone.
    case classical = 1
    /// X25519, and a key encapsulated by ML-KEM-768 on top.
    case hybrid = 2

    /// The highest version this code knows.
    package static let newest = ChannelVersion.hybrid

    /// Reads the number that a peer states as its highest version, or that a later program has left behind.
    ///
    /// The result is the highest version of this code up to that number.
    /// - Parameter stated: The number; 0 and 1 mean that nothing above the first version is spoken.
    package init(atMost stated: UInt8) {
        self = Self.allCases.last { $0.rawValue <= stated } ?? .classical
    }

    /// Whether a recorded session stays closed to a quantum computer.
    package var isPostQuantum: Bool { self >= .hybrid }

    package static func < (left: ChannelVersion, right: ChannelVersion) -> Bool { left.rawValue < right.rawValue }
}
