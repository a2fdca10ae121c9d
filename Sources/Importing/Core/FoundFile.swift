package import FileRecords

/// A regular file of the imported folder, as it was when it was looked at.
package struct FoundFile: Sendable, Hashable {
    /// The path below the imported folder.
    package var source: FilePath
    /// The path in the zone.
    package var path: FilePath
    /// The number of its bytes.
    package var size: UInt64
    /// The time of its last change, in milliseconds since 1970.
    package var modifiedMilliseconds: Int64
    /// Whether its owner may execute it.
    package var isExecutable: Bool

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        source: FilePath,
        path: FilePath,
        size: UInt64,
        modifiedMilliseconds: Int64,
        isExecutable: Bool = false
    ) {
        (self.source, self.path, self.size) = (source, path, size)
        (self.modifiedMilliseconds, self.isExecutable) = (modifiedMilliseconds, isExecutable)
    }
}
