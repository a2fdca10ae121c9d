package import Wire

/// The part of the node that a caller sees: all of it, or the zones of some containers.
///
/// Containers are compared by their bytes: two names that only look the same are two containers.
package struct ZoneScope: Sendable, Hashable {
    /// The containers; `nil` = all.
    package let containers: Set<BytewiseString>?
    /// The most bytes of the containers' records in total, as `RecordRow.visibleByteCount` counts; `nil` = no limit.
    package let byteCountMax: UInt64?

    /// All zones, without a limit.
    package static let everything = ZoneScope(containers: nil, byteCountMax: nil)

    /// The zones of some containers.
    /// - Parameters:
    ///   - containers: Their names.
    ///   - byteCountMax: The most bytes of their records in total; `nil` = no limit.
    package init(containers: [String], byteCountMax: UInt64?) {
        self.init(containers: Set(containers.map { BytewiseString($0) }), byteCountMax: byteCountMax)
    }

    private init(containers: Set<BytewiseString>?, byteCountMax: UInt64?) {
        self.containers = containers
        self.byteCountMax = byteCountMax
    }

    /// Whether nothing is left out.
    package var isEverything: Bool { containers == nil }

    /// Whether a container's zones belong to it.
    package func contains(container: String) -> Bool {
        containers?.contains(BytewiseString(container)) ?? true
    }
}
