public import FoundationEssentials
import NIOCore

extension DaemonClient {
    /// The requests about assets: content that travels apart from the records that name it.
    public var assets: AssetClient { AssetClient(client: self) }
}

/// Uploads, lists, reads and fetches the assets of records.
///
/// ```swift
/// let photo = try await client.assets.upload(fileURL: file, in: "holiday")
/// try await client.save(RecordWrite("lake", type: "Photo", fields: ["picture": .asset(photo)]), in: "holiday")
/// let place = Asset.Place(zone: "holiday", record: "lake", field: "picture")
/// for try await piece in try await client.assets.content(of: place) { show(piece) }
/// ```
///
/// A device that has the record has the description of its assets, and not necessarily their content: the policy of the
/// zone says which content the device fetches by itself, and reading fetches it in any case, unless the policy is
/// ``AssetClient/Policy/never``.
public struct AssetClient: Sendable {
    /// The assets of a zone that a device fetches by itself.
    public enum Policy: Sendable, Hashable {
        /// None, not even on request.
        case never
        /// Those that a program asks for.
        case onDemand
        /// Those up to so many bytes, and larger ones when a program asks for them.
        case upTo(UInt64)
        /// All.
        case always

        /// As the daemon takes it.
        var json: JSONValue {
            switch self {
            case .never: Self.json(.never)
            case .onDemand: Self.json(.onDemand)
            case .upTo(let size):
                [
                    "policy": .string(AssetPolicySetting.Policy.upTo.rawValue),
                    "up_to": .integer(Int64(clamping: size)),
                ]
            case .always: Self.json(.always)
            }
        }

        private static func json(_ word: AssetPolicySetting.Policy) -> JSONValue { ["policy": .string(word.rawValue)] }
    }

    /// The default of the time that the daemon waits for bytes that another device has, in milliseconds.
    public static let waitMilliseconds = 60_000

    let client: DaemonClient

    // MARK: Uploading

    /// Uploads content for an asset.
    ///
    /// The client does not buffer the content: it sends pieces as they arrive. The daemon keeps them sealed, and
    /// deletes them after a day unless a record names the content.
    /// - Parameters:
    ///   - pieces: The bytes, in pieces of any size; at most 16 GiB less one byte in all. The daemon gives up after 60
    ///     seconds without a piece.
    ///   - size: The total number of bytes; `nil` if unknown. With a size, the daemon refuses content that is too large
    ///     before it is sent.
    ///   - zone: The zone of the record: its id or unique name.
    /// - Returns: The upload, whose id ``AssetDescription/asset`` names; it is on disk.
    /// - Throws: ``KairanError``, `CancellationError`, the errors of the pieces; the daemon keeps nothing in these
    ///   cases.
    public func upload<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces,
        size: UInt64? = nil,
        in zone: String
    ) async throws -> UploadedAsset where Pieces.Element: Sequence<UInt8> & Sendable {
        try await send(.pieces(pieces, length: size.map { Int(clamping: $0) }), in: zone)
    }

    /// Uploads content for an asset.
    /// - Parameters:
    ///   - data: The bytes.
    ///   - zone: The zone of the record: its id or unique name.
    /// - Returns: The upload, whose id ``AssetDescription/asset`` names; it is on disk.
    /// - Throws: ``KairanError``, `CancellationError`; the daemon keeps nothing in these cases.
    public func upload(_ data: Data, in zone: String) async throws -> UploadedAsset {
        try await send(.bytes(ByteBuffer(bytes: data)), in: zone)
    }

    /// Uploads a file, piece by piece.
    /// - Parameters:
    ///   - fileURL: The file.
    ///   - zone: The zone of the record: its id or unique name.
    ///   - progress: Called with the number of bytes that were sent, again and again.
    /// - Returns: The description to write into a field, with the file's name and time.
    /// - Throws: ``KairanError``: `file.unreadable`, `file.changed`; `CancellationError`. The daemon keeps nothing in
    ///   these cases.
    public func upload(
        fileURL: URL,
        in zone: String,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> AssetDescription {
        let file = try SourceFile(fileURL, progress: progress)
        let uploaded = try await upload(file, size: file.size, in: zone)
        return AssetDescription(
            asset: uploaded.asset,
            size: uploaded.size,
            name: fileURL.lastPathComponent,
            modifiedAt: file.modifiedAt
        )
    }

    private func send(_ body: RequestBody, in zone: String) async throws -> UploadedAsset {
        let upload = DaemonClient.Upload(body: body, contentType: "application/octet-stream")
        let answer = try await client.open(AssetRequests.upload(in: zone), upload: upload)
        return try DaemonClient.decode(await DaemonClient.collect(answer))
    }

    // MARK: Assets and their states

    /// The assets of a zone's records.
    /// - Parameters:
    ///   - zone: The zone's id or unique name.
    ///   - cursor: From the page before; `nil` from the beginning.
    ///   - limit: 1...1,000.
    /// - Returns: A page; without a cursor it is the last one.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func page(in zone: String, after cursor: String? = nil, limit: Int = 200) async throws -> AssetPage {
        try await client.value(AssetRequests.page(in: zone, after: cursor, limit: limit))
    }

    /// All assets of a zone's records, fetched in pages while they are read.
    public func all(in zone: String) -> AssetSequence { AssetSequence(assets: self, zone: zone) }

    /// One asset, with its state on this device.
    public func asset(at place: Asset.Place) async throws -> Asset {
        try await client.value(AssetRequests.asset(at: place))
    }

    /// The states of an asset on this device: the present one first, then each other one as it comes.
    public func states(of place: Asset.Place) -> AssetStates { AssetStates(client: client, place: place) }

    /// Makes the device fetch the content of an asset, and does not wait for it.
    /// - Parameter place: The place that names the asset.
    /// - Returns: The asset, with its state now.
    /// - Throws: ``KairanError``: `asset.not_wanted` with the policy ``AssetClient/Policy/never``; `CancellationError`.
    @discardableResult
    public func fetch(_ place: Asset.Place) async throws -> Asset { try await client.value(AssetRequests.fetch(place)) }

    /// Makes the device no longer fetch the content of an asset, and drops the part of it that is here.
    /// - Parameter place: The place that names the asset.
    /// - Returns: The asset, with its state now; content that is here as a whole stays.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func cancel(_ place: Asset.Place) async throws -> Asset {
        try await client.value(AssetRequests.cancel(place))
    }

    /// Drops the content of an asset on this device, once other devices have promised to keep it.
    ///
    /// The device asks connected devices for about ten seconds. Reading the content fetches it again.
    /// - Parameters:
    ///   - place: The place that names the asset.
    ///   - copies: The number of other devices that have to promise it, 1...64.
    ///   - countsOthers: Whether devices of other accounts count; their owners may break a promise.
    /// - Returns: The outcome; content that was not here stays as it is.
    /// - Throws: ``KairanError``: `asset.not_safe` where too few devices have promised, `asset.promised` where this device has promised
    ///   another one to keep the content, `asset.busy` while the content is in use; `CancellationError`.
    @discardableResult
    public func evict(
        _ place: Asset.Place,
        copies: Int = 1,
        countsOthers: Bool = false
    ) async throws -> AssetEviction {
        try await client.value(AssetRequests.evict(place, copies: copies, countsOthers: countsOthers))
    }

    /// The reasons for the state of an asset on this device.
    /// - Parameters:
    ///   - asset: The id of its content.
    ///   - asksHolders: Whether connected devices are asked if they have the content, which takes some seconds at most.
    /// - Returns: The explanation, with the records that name the asset.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func explanation(of asset: String, asksHolders: Bool = false) async throws -> AssetExplanation {
        try await client.value(AssetRequests.explanation(of: asset, asksHolders: asksHolders))
    }

    // MARK: Policies and space

    /// The policy of a zone on this device.
    public func policy(of zone: String) async throws -> AssetPolicySetting {
        try await client.value(AssetRequests.policy(of: zone))
    }

    /// Sets the policy of a zone on this device; other devices have policies of their own.
    /// - Parameters:
    ///   - policy: The policy; `nil` for the default.
    ///   - zone: The zone's id or unique name.
    /// - Returns: The policy in force now.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func setPolicy(_ policy: Policy?, of zone: String) async throws -> AssetPolicySetting {
        try await client.value(AssetRequests.setPolicy(policy, of: zone))
    }

    /// Sets whether the relays of the account keep the contents of a zone that are on this device; it stays with every policy.
    /// - Parameters:
    ///   - isKept: Whether they do, as they do at first.
    ///   - zone: The zone's id or unique name.
    /// - Returns: The policy in force, with the setting.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func setKeptAtRelays(_ isKept: Bool, of zone: String) async throws -> AssetPolicySetting {
        try await client.value(AssetRequests.setKeptAtRelays(isKept, of: zone))
    }

    /// Lists the assets on this device that no record names, or drops them.
    /// - Parameter dryRun: Whether they are only listed.
    /// - Returns: The assets, and how many were dropped.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func collect(dryRun: Bool) async throws -> AssetCollection {
        try await client.value(AssetRequests.collect(dryRun: dryRun))
    }
}
