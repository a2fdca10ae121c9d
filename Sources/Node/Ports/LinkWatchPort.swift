package import Sync

/// A notice of the system about folders beneath the roots.
package enum LinkWatchEvent: Hashable, Sendable {
    /// Something in the folder has changed.
    case changed(LinkKeeper.Folder)
    /// Notices were lost.
    case overflow
}

/// Watches folders beneath the roots of this device.
package protocol LinkWatchPort: Sendable {
    /// Whether some folders are not watched, as there are too many.
    var isIncomplete: Bool { get }
    /// Reports what has changed from now on.
    func report(_ report: @escaping @Sendable (LinkWatchEvent) -> Void)
    /// Watches a folder from now on; without effect where it is gone, or watched already.
    func watch(_ folder: LinkKeeper.Folder)
}

/// The roots of linked files of a device.
package struct LinkSettings: Sendable {
    /// The absolute paths of the roots.
    package var roots: [String]
    /// Watches their folders; `nil` where the system cannot.
    package var watch: (any LinkWatchPort)?

    /// Describes roots; without any, no file can be linked.
    /// - Parameters: as the properties of the same names.
    package init(roots: [String] = [], watch: (any LinkWatchPort)? = nil) { (self.roots, self.watch) = (roots, watch) }
}
