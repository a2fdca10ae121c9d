/// A file on the daemon's machine, beneath one of the roots of its configuration.
public struct LinkableFile: Sendable, Hashable {
    /// The path: an absolute one, or one beneath the root.
    public var path: String
    /// The root; `nil` with an absolute path.
    public var root: String?

    /// Names a file.
    /// - Parameters:
    ///   - path: The path: an absolute one, or one beneath the root.
    ///   - root: The root; `nil` with an absolute path.
    public init(_ path: String, root: String? = nil) { (self.path, self.root) = (path, root) }

    /// As the daemon takes it.
    var json: JSONValue {
        .object([JSONMember("file", .string(path))] + (root.map { [JSONMember("root", .string($0))] } ?? []))
    }
}

// Links: contents in files that other programs keep. All requests are for administrators of the machine.
extension AssetClient {
    /// Makes an asset of a file, whose bytes stay where they are: the daemon stores no bytes of it.
    ///
    /// The daemon forgets it after a day unless a record names it.
    /// - Parameters:
    ///   - file: The file, on the daemon's machine.
    ///   - zone: The zone of the record: its id or unique name.
    /// - Returns: The asset, whose id ``AssetDescription/asset`` names.
    /// - Throws: ``KairanError``: `link.path`, `link.unusable`, `link.changed`; `CancellationError`.
    public func link(_ file: LinkableFile, in zone: String) async throws -> LinkedAsset {
        try await client.value(AssetRequests.link(file, in: zone))
    }

    /// Links a file that has the content of an asset, which is on the device from then on.
    /// - Parameters:
    ///   - file: The file, on the daemon's machine.
    ///   - place: The place that names the asset.
    /// - Returns: The asset, with its state now.
    /// - Throws: ``KairanError``: `link.path`, `link.unusable`, `link.changed`, `link.differs` where the file has other content;
    ///   `CancellationError`.
    @discardableResult
    public func link(_ file: LinkableFile, to place: Asset.Place) async throws -> Asset {
        try await client.value(AssetRequests.link(file, to: place))
    }

    /// Removes links of an asset; the files stay as they are.
    /// - Parameters:
    ///   - place: The place that names the asset.
    ///   - file: A linked file; `nil` for all.
    /// - Returns: The asset, with its state now: content that was in linked files alone is not here any more.
    /// - Throws: ``KairanError``: `link.unknown`; `CancellationError`.
    @discardableResult
    public func unlink(_ place: Asset.Place, file: LinkableFile? = nil) async throws -> Asset {
        try await client.value(AssetRequests.unlink(place, file: file))
    }

    /// The links of the device.
    /// - Parameters:
    ///   - zone: A zone whose records name the contents: its id or unique name; `nil` for all.
    ///   - cursor: From the page before; `nil` from the beginning.
    ///   - limit: 1...1,000.
    /// - Returns: A page; without a cursor it is the last one.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func links(
        of zone: String? = nil,
        after cursor: String? = nil,
        limit: Int = 200
    ) async throws -> AssetLinkPage {
        try await client.value(AssetRequests.links(of: zone, after: cursor, limit: limit))
    }
}

extension AssetRequests {
    /// A new asset of a file.
    package static func link(_ file: LinkableFile, in zone: String) -> DaemonRequest {
        DaemonRequest(.post, ["zones", zone, "assets", "link"], body: file.json)
    }

    /// A file with the content of an asset.
    package static func link(_ file: LinkableFile, to place: Asset.Place) -> DaemonRequest {
        request(.post, place, ["link"], body: file.json)
    }

    /// The end of links of an asset.
    package static func unlink(_ place: Asset.Place, file: LinkableFile?) -> DaemonRequest {
        request(.post, place, ["unlink"], body: file?.json)
    }

    /// A page of the links of the device.
    package static func links(of zone: String?, after cursor: String?, limit: Int) -> DaemonRequest {
        DaemonRequest(.get, ["links"], query: [("zone", zone), ("after", cursor), ("limit", "\(limit)")])
    }
}
