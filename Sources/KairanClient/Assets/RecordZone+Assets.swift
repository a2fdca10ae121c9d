public import FoundationEssentials

// MARK: - Assets

extension RecordZone {
    /// The place of an asset in this zone.
    /// - Parameters:
    ///   - field: The field of the record.
    ///   - record: The name of the record.
    ///   - item: The index in the field's list or set; `nil` where the field itself is the asset.
    /// - Returns: The place, for the functions of ``AssetClient``.
    public func assetPlace(_ field: String, of record: String, item: Int? = nil) -> Asset.Place {
        Asset.Place(zone: id, record: record, field: field, item: item)
    }

    /// Uploads a file, to be named by a field of a record.
    ///
    /// ```swift
    /// struct Photo: RecordContent {
    ///     var title: String
    ///     var picture: AssetDescription?
    /// }
    ///
    /// let picture = try await zone.upload(fileURL: file, mediaType: "image/jpeg")
    /// try await zone.save(TypedRecord("lake", Photo(title: "The lake", picture: picture)))
    /// ```
    ///
    /// The daemon deletes an upload after a day unless a record names it.
    /// - Parameters:
    ///   - fileURL: The file.
    ///   - name: The name to state; the file's own by default.
    ///   - mediaType: The media type of the content, for example `image/jpeg`.
    ///   - thumbnail: A small picture of the content, at most 16 KiB, which becomes a part of the record.
    ///   - progress: Called with the number of bytes that were sent, again and again.
    /// - Returns: The description of the content.
    /// - Throws: ``KairanError``: `file.unreadable`, `file.changed`; `CancellationError`.
    public func upload(
        fileURL: URL,
        name: String? = nil,
        mediaType: String? = nil,
        thumbnail: Data? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> AssetDescription {
        var asset = try await client.assets.upload(fileURL: fileURL, in: id, progress: progress)
        asset.name = name ?? asset.name
        (asset.mediaType, asset.thumbnail) = (mediaType, thumbnail)
        return asset
    }

    /// Uploads bytes, to be named by a field of a record.
    /// - Parameters:
    ///   - data: The bytes.
    ///   - name: The name to state.
    ///   - mediaType: The media type of the content, for example `image/jpeg`.
    ///   - thumbnail: A small picture of the content, at most 16 KiB, which becomes a part of the record.
    /// - Returns: The description of the content.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func upload(
        _ data: Data,
        name: String? = nil,
        mediaType: String? = nil,
        thumbnail: Data? = nil
    ) async throws -> AssetDescription {
        let uploaded = try await client.assets.upload(data, in: id)
        return AssetDescription(
            asset: uploaded.asset,
            size: uploaded.size,
            mediaType: mediaType,
            name: name,
            thumbnail: thumbnail
        )
    }

    /// All assets of the zone's records, with their states on this device, fetched in pages while they are read.
    public func assets() -> AssetSequence { client.assets.all(in: id) }

    /// An asset of a record, with its state on this device.
    public func asset(_ field: String, of record: String, item: Int? = nil) async throws -> Asset {
        try await client.assets.asset(at: assetPlace(field, of: record, item: item))
    }

    /// The states of an asset on this device: the present one first, then each other one as it comes.
    public func assetStates(_ field: String, of record: String, item: Int? = nil) -> AssetStates {
        client.assets.states(of: assetPlace(field, of: record, item: item))
    }

    /// Makes the device fetch the content of an asset, and does not wait for it.
    /// - Parameters:
    ///   - field: The field of the record.
    ///   - record: The name of the record.
    ///   - item: The index in the field's list or set; `nil` where the field itself is the asset.
    /// - Returns: The asset, with its state now.
    /// - Throws: ``KairanError``, as ``AssetClient/fetch(_:)``; `CancellationError`.
    @discardableResult
    public func fetchAsset(_ field: String, of record: String, item: Int? = nil) async throws -> Asset {
        try await client.assets.fetch(assetPlace(field, of: record, item: item))
    }

    /// Makes the device no longer fetch the content of an asset, and drops the part of it that is here.
    /// - Parameters:
    ///   - field: The field of the record.
    ///   - record: The name of the record.
    ///   - item: The index in the field's list or set; `nil` where the field itself is the asset.
    /// - Returns: The asset, with its state now; content that is here as a whole stays.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func cancelAsset(_ field: String, of record: String, item: Int? = nil) async throws -> Asset {
        try await client.assets.cancel(assetPlace(field, of: record, item: item))
    }

    /// Drops the content of an asset on this device, once other devices have promised to keep it.
    /// - Parameters:
    ///   - field: The field of the record.
    ///   - record: The name of the record.
    ///   - item: The index in the field's list or set; `nil` where the field itself is the asset.
    ///   - copies: The number of other devices that have to promise it, 1...64.
    /// - Returns: The outcome.
    /// - Throws: ``KairanError``, as ``AssetClient/evict(_:copies:countsOthers:)``; `CancellationError`.
    @discardableResult
    public func evictAsset(
        _ field: String,
        of record: String,
        item: Int? = nil,
        copies: Int = 1
    ) async throws -> AssetEviction {
        try await client.assets.evict(assetPlace(field, of: record, item: item), copies: copies)
    }

    /// Reads the content of an asset, which the device fetches first where it is not here.
    /// - Parameters:
    ///   - field: The field of the record.
    ///   - record: The name of the record.
    ///   - item: The index in the field's list or set; `nil` where the field itself is the asset.
    /// - Returns: The bytes; iterate once.
    /// - Throws: ``KairanError``, as ``AssetClient/content(of:from:count:waitMilliseconds:)``; `CancellationError`.
    public func content(_ field: String, of record: String, item: Int? = nil) async throws -> AssetContent {
        try await client.assets.content(of: assetPlace(field, of: record, item: item))
    }

    /// Reads the content of an asset into a file, which the device fetches first where it is not here.
    /// - Parameters:
    ///   - field: The field of the record.
    ///   - record: The name of the record.
    ///   - item: The index in the field's list or set; `nil` where the field itself is the asset.
    ///   - fileURL: The file to write; an earlier one is replaced when all bytes are on the disk.
    ///   - progress: Called with the number of bytes that are in the file, again and again.
    /// - Returns: The asset.
    /// - Throws: ``KairanError``, as ``AssetClient/download(_:to:waitMilliseconds:progress:)``; `CancellationError`.
    @discardableResult
    public func download(
        _ field: String,
        of record: String,
        item: Int? = nil,
        to fileURL: URL,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Asset {
        let place = assetPlace(field, of: record, item: item)
        return try await client.assets.download(place, to: fileURL, progress: progress)
    }

    /// The policy of the zone on this device: which assets the device fetches by itself.
    public func assetPolicy() async throws -> AssetPolicySetting { try await client.assets.policy(of: id) }

    /// Sets the policy of the zone on this device; `nil` for the default.
    @discardableResult
    public func setAssetPolicy(_ policy: AssetClient.Policy?) async throws -> AssetPolicySetting {
        try await client.assets.setPolicy(policy, of: id)
    }

    /// Sets whether the relays of the account keep the contents of the zone that are on this device.
    @discardableResult
    public func setAssetsKeptAtRelays(_ isKept: Bool) async throws -> AssetPolicySetting {
        try await client.assets.setKeptAtRelays(isKept, of: id)
    }
}
