/// The node's interface for links: contents of assets that are in files which other programs keep.
///
/// The files are beneath the roots of the daemon's configuration. A link lets its caller read the file, so only callers that see everything may
/// make one, or learn of any.
package protocol LinkAPI: Sendable {
    /// Makes an asset of a file, whose bytes stay where they are.
    ///
    /// Nothing of it is kept after a day unless a record names it.
    /// - Parameters:
    ///   - file: The path of the file: an absolute one, or one beneath a root.
    ///   - root: The root; `nil` with an absolute path.
    ///   - zone: Id text or unique name.
    /// - Returns: The asset, which a write can name.
    /// - Throws: `forbidden`, `zoneUnknown`, `linkPath`, `linkUnusable`, `linkChanged`, `assetTooLarge`, and the errors that refuse a commit.
    func link(_ file: String, root: String?, zone: String) async throws(NodeError) -> LinkedAssetView

    /// Links a file that has the content of an asset, which is here from then on.
    /// - Parameters:
    ///   - file: The path of the file: an absolute one, or one beneath a root.
    ///   - root: The root; `nil` with an absolute path.
    ///   - place: The field that names the asset.
    /// - Returns: The asset.
    /// - Throws: `forbidden`, `linkPath`, `linkUnusable`, `linkChanged`, `linkDiffers`, `assetBusy`, `assetUnknown`, and the errors of reading a
    ///   record.
    func link(_ file: String, root: String?, to place: AssetPlace) async throws(NodeError) -> AssetView

    /// Removes links of an asset; the files stay as they are.
    /// - Parameters:
    ///   - place: The field that names the asset.
    ///   - file: The path of a linked file; `nil` for all.
    ///   - root: The root; `nil` with an absolute path.
    /// - Returns: The asset.
    /// - Throws: `forbidden`, `linkPath`, `linkUnknown`, `assetUnknown`, and the errors of reading a record.
    func unlink(_ place: AssetPlace, file: String?, root: String?) async throws(NodeError) -> AssetView

    /// Returns the links of this device.
    /// - Parameters:
    ///   - zone: Id text or unique name of a zone whose records name the contents; `nil` for all.
    ///   - cursor: The cursor of the previous page; `nil` from the beginning.
    ///   - limit: 1...1,000.
    /// - Returns: A page, which may have fewer links although more follow.
    /// - Throws: `forbidden`, `zoneUnknown`, `invalidArgument`, `queryBadCursor`.
    func links(zone: String?, after cursor: String?, limit: Int) async throws(NodeError) -> LinkViewPage
}
