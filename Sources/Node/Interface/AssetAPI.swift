/// The node's interface for assets: bytes that a field of a record names, and that travel apart from the record.
///
/// The bytes are uploaded by ``PayloadAPI/handIn(_:zone:announced:)``; a write then names them.
package protocol AssetAPI: Sendable {
    /// Returns the assets of a zone's records, in the order of the store.
    ///
    /// Values that lost a conflict are left out.
    /// - Parameters:
    ///   - zone: Id text or unique name.
    ///   - cursor: The cursor of the previous page; `nil` from the beginning.
    ///   - limit: 1...1,000.
    /// - Returns: A page; it has more than `limit` assets only where one record names an asset several times, and may
    ///   have fewer although more follow.
    /// - Throws: `zoneUnknown`, `invalidArgument`, `queryBadCursor`.
    func assets(zone: String, after cursor: String?, limit: Int) async throws(NodeError) -> AssetViewPage

    /// Returns one asset, with its state on this device.
    /// - Throws: `assetUnknown` where the place has no asset, and the errors of reading a record.
    func asset(_ place: AssetPlace) async throws(NodeError) -> AssetView

    /// Returns a part of an asset's content.
    ///
    /// Bytes that are not here are fetched, those from the offset on first, unless the zone's policy is never to
    /// fetch. The wait ends when the bytes are here, when its time is over, when the task is cancelled, and after five
    /// seconds in which no connected device could have had them.
    /// - Parameters:
    ///   - place: The field that names it.
    ///   - offset: The first byte to return.
    ///   - waitMilliseconds: The time to wait for the bytes, 0...300,000.
    /// - Returns: Some bytes from there, none at the end.
    /// - Throws: `assetUnavailable` when the bytes did not arrive, `assetNotWanted`, `assetUnknown`,
    ///   `invalidArgument`, and the errors of reading a record.
    func content(
        _ place: AssetPlace,
        from offset: UInt64,
        waitMilliseconds: UInt64
    ) async throws(NodeError) -> ContentPart

    /// Requests the content of an asset, which is then fetched from any device that has it.
    /// - Returns: The asset; without a change where its content is here or on its way.
    /// - Throws: `assetNotWanted` where the zone's policy is never to fetch, `assetUnknown`, and the errors of reading
    ///   a record.
    func fetch(_ place: AssetPlace) async throws(NodeError) -> AssetView

    /// Ends the fetching of an asset; the part that is here is dropped.
    /// - Returns: The asset; without a change where it is not being fetched.
    /// - Throws: `assetUnknown`, and the errors of reading a record.
    func cancelFetch(_ place: AssetPlace) async throws(NodeError) -> AssetView

    /// Drops the content of an asset on this device, once other devices have promised to keep it.
    ///
    /// The request waits for promises, ten seconds at most. A cancelled request drops nothing, unless it has its promises already.
    /// - Parameters:
    ///   - place: The field that names it.
    ///   - copies: The promises of other devices that it takes, 1...64.
    ///   - countsOthers: Whether those of devices of other accounts count, which their owners may break.
    /// - Returns: The outcome; without a change where the content is not here.
    /// - Throws: `assetNotSafe`, `assetPromised`, `assetBusy`, `assetLinked`, `assetUnknown`, `invalidArgument`, and the errors of reading a
    ///   record.
    func evict(_ place: AssetPlace, copies: Int, countsOthers: Bool) async throws(NodeError) -> AssetEvictionView

    /// Returns the assets of a zone that this device fetches by itself.
    /// - Throws: `zoneUnknown`.
    func policy(zone: String) async throws(NodeError) -> AssetPolicyView

    /// Sets the assets of a zone that this device fetches by itself; it applies to all that are not here.
    /// - Parameters:
    ///   - policy: The policy; `nil` for the default of the device.
    ///   - zone: Id text or unique name.
    /// - Returns: The policy in force.
    /// - Throws: `zoneUnknown`.
    func setPolicy(_ policy: AssetPolicyChoice?, zone: String) async throws(NodeError) -> AssetPolicyView

    /// Sets whether the relays of the account keep the contents of a zone that are on this device.
    /// - Parameters:
    ///   - isKept: Whether they do, as they do at first.
    ///   - zone: Id text or unique name.
    /// - Returns: The policy in force, with this setting.
    /// - Throws: `zoneUnknown`.
    func setKeptAtRelays(_ isKept: Bool, zone: String) async throws(NodeError) -> AssetPolicyView

    /// Explains the state of an asset, with the records of the caller's zones that name it, and the machines that are known to hold it.
    /// - Parameters:
    ///   - asset: Id text.
    ///   - asksHolders: Whether connected devices are asked if they hold it, which takes three seconds at most.
    /// - Returns: The explanation.
    /// - Throws: `assetUnknown` where it is not here and no such record names it.
    func explain(_ asset: String, asksHolders: Bool) async throws(NodeError) -> AssetExplanationView

    /// Returns the assets on this device that no record names any more, and drops those whose time is over.
    /// - Parameter dryRun: Whether nothing is dropped.
    /// - Returns: At most 1,000 of them, the one without a record for the longest time first.
    /// - Throws: An error of the store.
    func collect(dryRun: Bool) async throws(NodeError) -> AssetCollectionView
}
