package import Node

/// The zones and facts that a request may see.
package struct AccessGrant: Sendable, Hashable {
    /// The zones.
    package var scope: ZoneScope
    /// Whether facts about the node itself are left out.
    package var isBare: Bool

    /// Everything.
    package static let everything = AccessGrant(scope: .everything, isBare: false)
    /// No zone, and only that the node is there.
    package static let bare = AccessGrant(scope: ZoneScope(containers: [], byteCountMax: nil), isBare: true)
}
