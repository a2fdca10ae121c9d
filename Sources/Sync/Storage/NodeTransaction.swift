package import Queries
package import Records
package import Wire

/// One transaction of the store: the part that the replica needs, and the part that the node keeps beside it.
///
/// Reading functions may be called in a reading transaction too; the mutating ones throw there.
package protocol NodeTransaction: ReplicaTransaction {
    /// The zones with a name, of any account and container, deleted ones included, ascending.
    /// - Parameter name: The name, compared as bytes.
    /// - Returns: The rows.
    /// - Throws: `StorageError`.
    /// - Complexity: O(found zones · log zones), so that finding the zone of a request does not grow with the zones.
    func zones(named name: String) throws -> [ZoneRow]

    /// The zones with an id in a range, deleted ones included, ascending.
    /// - Parameter range: The range.
    /// - Returns: The rows.
    /// - Throws: `StorageError`.
    /// - Complexity: O(found zones · log zones).
    func zones(in range: ClosedRange<ZoneID>) throws -> [ZoneRow]

    /// Records of a zone that are not deleted, by name.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - name: Start behind this name; `nil` from the beginning.
    ///   - limit: 1...10,000.
    /// - Returns: The rows, and whether more follow.
    /// - Throws: `StorageError`.
    func records(zone: ZoneID, after name: String?, limit: Int) throws -> RecordPage

    /// The records of a zone that a query asks for; deleted ones never are.
    /// - Parameters:
    ///   - query: The question.
    ///   - zone: The zone.
    ///   - position: The place of the answer behind which the page begins; `nil` for the beginning.
    ///   - limit: 1...`QueryLimits.pageCountMax`.
    /// - Returns: A page; it may have fewer records than `limit` when these are large.
    /// - Throws: `StorageError`; `QueryRefusal` when the store cannot answer for want of an index.
    func query(_ query: Query, zone: ZoneID, after position: QueryPosition?, limit: Int) throws -> QueryPage

    /// The indexes on fields of a container's records.
    func fieldIndexes(container: String) throws -> [FieldIndexStatus]
    /// Sets the indexes of a container; existing ones among them stay as they are, others are dropped.
    mutating func setFieldIndexes(_ indexes: [FieldIndex], container: String) throws
    /// Does a part of the work that is due for indexes: enters older records, removes the rest of dropped indexes and
    /// deleted zones.
    /// - Parameter limit: The approximate number of records to examine.
    /// - Returns: Whether there was any work.
    /// - Throws: `StorageError`.
    mutating func buildFieldIndexes(limit: Int) throws -> Bool
    /// The operation that left a record in the state of a version, while it is held and is or was effective.
    ///
    /// A state that was merged from several operations is none that one of them left.
    func operation(zone: ZoneID, tag: RecordTag, version: RecordVersion) throws -> StoredOperation?

    /// The number of records of a zone that are not deleted. O(1).
    func recordCount(zone: ZoneID) throws -> UInt64

    /// The bytes of a zone's records that are not deleted, see `RecordRow.visibleByteCount`. O(1).
    func recordByteCount(zone: ZoneID) throws -> UInt64

    /// The totals of a zone's records that daemons write by themselves. O(1).
    func reservedTotals(zone: ZoneID) throws -> ReservedTotals

    /// The records of programs with conflicts; all zones when `zone` is `nil`. Conflicts in those of daemons are
    /// never decided.
    func conflictedRecords(zone: ZoneID?, limit: Int) throws -> [RecordRow]

    /// The records of programs with conflicts that follow another one in the order of the store, which need have none any more; the first ones
    /// behind a record that the store does not know.
    func conflictedRecords(zone: ZoneID, after tag: RecordTag, limit: Int) throws -> [RecordRow]

    /// Changes behind a position, ascending by position, deleted records included; all zones when `zone` is `nil`.
    func changes(zone: ZoneID?, after position: UInt64, limit: Int) throws -> [ChangeRow]

    /// Changes of some zones between two positions.
    /// - Parameters:
    ///   - zones: The zones, each once.
    ///   - after: The position to begin behind.
    ///   - through: The last position.
    ///   - limit: The maximum number of changes.
    ///   - byteCount: The bytes of bodies with which it ends: the change that reaches them is the last.
    /// - Returns: The changes, ascending by position, deleted records included.
    /// - Throws: `StorageError`.
    func changes(
        zones: [ZoneID],
        after: UInt64,
        through: UInt64,
        limit: Int,
        byteCount: Int
    ) throws -> [ChangeRow]

    /// Takes the feed's next position for something that is no record.
    mutating func takePosition() throws -> UInt64

    /// The feed's newest position; 0 when nothing has changed yet.
    func newestPosition() throws -> UInt64

    /// 16 random bytes made with the store: a token of another store is thereby known as foreign.
    func feedIdentity() throws -> [UInt8]

    /// All entries of the account log with parents before children; empty when no account is stored.
    func accountEntries() throws -> [[UInt8]]

    /// Appends entries of the account log (bytes as signed).
    mutating func appendAccountEntries(_ entries: [[UInt8]]) throws

    /// Drops the account log, for a device that joins another account.
    mutating func removeAccountEntries() throws

    /// The devices that this one has met.
    func peers() throws -> [PeerRow]
    /// Remembers a device; replaces its row, whose channel version never goes down.
    mutating func save(_ peer: PeerRow) throws

    /// The acknowledgements of devices in a zone.
    func acknowledgements(zone: ZoneID) throws -> [AcknowledgementRow]
    /// Remembers acknowledgements; a smaller size never replaces a larger one.
    mutating func save(_ acknowledgements: [AcknowledgementRow]) throws

    /// Changes of records that are messages or receipts by their type or their name, see ``Inbox/takes(_:)``, behind a position:
    /// ascending by position, deleted records included.
    func messageChanges(after position: UInt64, limit: Int) throws -> [ChangeRow]
    /// A message; `nil` when it is not here.
    func message(_ id: MessageID) throws -> MessageRow?
    /// The messages of a zone behind a number, ascending by number.
    func messages(zone: ZoneID, after number: UInt64, limit: Int) throws -> [MessageRow]
    /// The messages of all zones that wait to be finished, behind a number, ascending by number.
    func waitingMessages(after number: UInt64, limit: Int) throws -> [MessageRow]
    /// The messages of a zone whose records were made in a section of a log, ascending by place, then by number.
    func messages(zone: ZoneID, of section: ReceiptSection, limit: Int) throws -> [MessageRow]
    /// The zones with messages for which this device owes an answer, ascending.
    /// - Complexity: O(these zones), however many messages there are.
    func zonesOwingAnswers() throws -> [ZoneID]
    /// The messages of a zone for which this device owes an answer, or of these only those that were sent from here and are to be
    /// sealed again; ascending by number.
    /// - Complexity: O(messages that are returned), however many owe something else.
    func messagesOwingAnswers(zone: ZoneID, onlySent: Bool, limit: Int) throws -> [MessageRow]
    /// The messages of which a further sealing waits since a time in a range, the longest ago first; see
    /// ``MessageRow/heldSince``.
    func heldMessages(since times: ClosedRange<UInt64>, limit: Int) throws -> [MessageRow]
    /// The expired messages, the longest ago first.
    func expiredMessages(at milliseconds: UInt64, limit: Int) throws -> [MessageRow]
    /// Remembers a message; replaces its row.
    mutating func save(_ message: MessageRow) throws
    /// Forgets a message; without effect where there is none.
    mutating func removeMessage(_ id: MessageID) throws
    /// The number of messages for this device that cannot be opened.
    func failedMessageCount() throws -> Int

    /// A prekey of this device; `nil` when it is not here (any more).
    func prekey(_ id: PrekeyID) throws -> PrekeyRow?
    /// The present prekey of this device in a zone.
    func presentPrekey(zone: ZoneID) throws -> PrekeyRow?
    /// Prekeys whose place another one had taken by some time, the longest ago first.
    func prekeys(supersededBy milliseconds: UInt64, limit: Int) throws -> [PrekeyRow]
    /// Remembers a prekey; replaces its row.
    mutating func save(_ prekey: PrekeyRow) throws
    /// Forgets a prekey for good; without effect where there is none.
    mutating func removePrekey(_ id: PrekeyID) throws

    /// A payload by its id; `nil` when nothing of it is here.
    func payload(_ id: PayloadID) throws -> PayloadRow?
    /// A payload by its number.
    func payload(number: UInt64) throws -> PayloadRow?
    /// Payloads with missing chunks behind a number, in the order in which they became known.
    func wantedPayloads(after number: UInt64, limit: Int) throws -> [PayloadRow]
    /// The bytes of the contents of payloads whose outline is here and that have missing chunks, by their zones; those of the chunks that are
    /// here included.
    /// - Complexity: O(wanted payloads · log chunks).
    func arrivingByteCounts() throws -> [ZoneID: UInt64]
    /// The payloads of which nothing is needed.
    ///
    /// They are the released ones; and those that became known before a time, are not kept for others, that no message needs (see
    /// ``MessageRow/needsPayload``) and that are not named (``isNamed(_:)``), and that never were assets or have not been named for long
    /// enough.
    /// - Parameters:
    ///   - milliseconds: The time before which they became known, in milliseconds since 1970.
    ///   - unnamedBefore: The time of the last one among assets since which no record names them, or earlier.
    ///   - now: The present time, with which the end of custody is compared.
    ///   - limit: The most payloads to return.
    /// - Returns: The first of them, ascending by number, and behind them those that were kept for others, by the end of that.
    /// - Throws: `StorageError`.
    /// - Complexity: O(payloads of messages, and assets that no record names); of those that are kept for others, O(those whose time is over).
    func unneededPayloads(
        begunBefore milliseconds: UInt64,
        unnamedBefore: UInt64,
        at now: UInt64,
        limit: Int
    ) throws -> [PayloadRow]
    /// Assets of which it is noted wrongly whether they are named (``isNamed(_:)``), ascending by number: those that are not, and have no
    /// ``PayloadRow/unnamedSince``, and those that are, and have one.
    /// - Complexity: O(found payloads).
    func payloadsToMark(limit: Int) throws -> [PayloadRow]
    /// The number of payloads that are assets, and the bytes of the contents of those that are here.
    /// - Complexity: O(assets).
    func assetTotals() throws -> (count: Int, heldByteCount: UInt64)
    /// The bytes of payloads that programs have uploaded here and that are kept, by their zones; each counts at least
    /// ``Payloads/handedInByteCountMin``.
    /// - Complexity: O(payloads).
    func handedInByteCounts() throws -> [ZoneID: UInt64]
    /// Remembers a payload; replaces its row.
    mutating func save(_ payload: PayloadRow) throws
    /// Forgets a payload that has no chunks (any more); without effect where there is none.
    mutating func removePayload(number: UInt64) throws
    /// One of a payload's chunks; `nil` where its outline has none there, or is not known.
    ///
    /// It has no bytes as well where they were here, and the file that had them has them no more.
    func chunk(of payload: UInt64, at position: UInt64) throws -> ChunkRow?
    /// The bytes in the place of a chunk that is not here; `nil` where there are not as many.
    ///
    /// They may be those of the chunk, where they were here and the file that had them was lost for some time.
    func unheldBytes(of payload: UInt64, at position: UInt64, count: Int) throws -> [UInt8]?
    /// The hashes of a payload's chunks, in order; none while its outline is not known.
    func chunkHashes(of payload: UInt64) throws -> [Hash]
    /// The positions of chunks that are not here, ascending.
    func missingChunks(of payload: UInt64, limit: Int) throws -> [UInt64]
    /// The number of a payload's chunks that are here, and the number of all its chunks.
    func chunkCounts(of payload: UInt64) throws -> (present: Int, all: Int)
    /// Remembers a chunk; replaces its row.
    mutating func save(_ chunk: ChunkRow, of payload: UInt64) throws
    /// Forgets some of a payload's chunks, the first of them.
    /// - Returns: Whether there was one.
    mutating func removeChunks(of payload: UInt64, limit: Int) throws -> Bool
    /// Records that name a payload by an asset, in an order of the store's own, in which those of one zone are beside each other and
    /// ascending.
    /// - Complexity: O(found references).
    func assetReferences(to payload: PayloadID, limit: Int) throws -> [AssetReference]
    /// Records of a zone that name a payload by an asset, ascending.
    /// - Complexity: O(found references).
    func assetReferences(to payload: PayloadID, zone: ZoneID, limit: Int) throws -> [AssetReference]
    /// Zones with a record that names a payload by an asset, also those that have ended; in an order of the store's own.
    /// - Complexity: O(found zones).
    func assetZones(of payload: PayloadID, limit: Int) throws -> [ZoneID]
    /// The assets of a zone's records behind a place, ascending.
    /// - Complexity: O(found references).
    func assetReferences(zone: ZoneID, after: AssetReference?, limit: Int) throws -> [AssetReference]
    /// Whether a record of any live zone names a payload by an asset: records of a zone that has ended keep no content.
    func isNamed(_ payload: PayloadID) throws -> Bool
    /// Whether a record of a zone names a payload by an asset, in whichever state the zone is.
    func isNamed(_ payload: PayloadID, zone: ZoneID) throws -> Bool
    /// References that were saved, and not marked as seen since; in an order of the store's own.
    ///
    /// One that a record keeps, however often the record is saved, stays seen. All of a zone are unseen that is live again.
    /// - Complexity: O(found references).
    func unseenAssetReferences(limit: Int) throws -> [AssetReference]
    /// Marks a reference as seen; without effect where there is none.
    mutating func markSeen(_ reference: AssetReference) throws
    /// Makes all references in a zone unseen.
    /// - Complexity: O(references in the zone).
    mutating func markAssetReferencesUnseen(zone: ZoneID) throws
    /// Makes all references to a payload unseen.
    /// - Complexity: O(references to it).
    mutating func markAssetReferencesUnseen(to payload: PayloadID) throws
    /// The rule for the assets of a zone; `nil` where it is the device's own for all zones.
    func assetPolicy(zone: ZoneID) throws -> AssetPolicy?
    /// Sets the rule for the assets of a zone, or with `nil` removes it.
    mutating func setAssetPolicy(_ policy: AssetPolicy?, zone: ZoneID) throws
    /// Whether contents that records of a zone name are kept at the relays of this account; true where nothing else was set.
    func keepsAssetsAtRelays(zone: ZoneID) throws -> Bool
    /// Sets whether contents that records of a zone name are kept at the relays of this account.
    mutating func setKeepsAssetsAtRelays(_ isKept: Bool, zone: ZoneID) throws
    /// The files beneath the roots of this device; reading them changes nothing of the store.
    var linkedFiles: any LinkedFiles { get }
    /// The links of a payload, ascending by place.
    func assetLinks(of payload: PayloadID) throws -> [AssetLinkRow]
    /// Links behind a place, ascending by payload, then by place.
    /// - Complexity: O(found links).
    func assetLinks(after last: AssetLinkRow?, limit: Int) throws -> [AssetLinkRow]
    /// The links of files whose paths begin with some bytes, ascending by place.
    /// - Complexity: O(found links).
    func assetLinks(root: String, beginning path: [UInt8], limit: Int) throws -> [AssetLinkRow]
    /// Inserts or replaces a link.
    mutating func save(_ link: AssetLinkRow) throws
    /// Forgets a link; without effect where there is none.
    mutating func removeAssetLink(of payload: PayloadID, at place: LinkedPlace) throws
    /// Forgets all links of a payload.
    mutating func removeAssetLinks(of payload: PayloadID) throws
    /// Assets whose content is here, or was here and was evicted, behind a number, ascending by number.
    /// - Complexity: O(found payloads).
    func keepableAssets(after number: UInt64, limit: Int) throws -> [PayloadRow]
    /// The attempt of this device to evict a payload; `nil` where there is none.
    func eviction(of payload: PayloadID) throws -> EvictionRow?
    /// The attempts of this device to evict payloads, ascending by payload.
    func evictions(limit: Int) throws -> [EvictionRow]
    /// Inserts or replaces the attempt to evict a payload.
    mutating func save(_ eviction: EvictionRow) throws
    /// Forgets the attempt to evict a payload; without effect where there is none.
    mutating func removeEviction(of payload: PayloadID) throws
    /// The promise of this device to keep a payload; `nil` where there is none.
    func retention(of payload: PayloadID) throws -> RetentionRow?
    /// Promises of this device that have ended by a time, or that end behind another one.
    /// - Parameters:
    ///   - end: The first time.
    ///   - beyond: The second time, which is not before the first one.
    ///   - limit: The most promises to return.
    /// - Returns: The first of them, ascending by their ends.
    /// - Throws: `StorageError`.
    /// - Complexity: O(found promises).
    func retentions(endedBy end: UInt64, beyond: UInt64, limit: Int) throws -> [RetentionRow]
    /// Inserts or replaces the promise to keep a payload.
    mutating func save(_ retention: RetentionRow) throws
    /// Forgets the promise to keep a payload; without effect where there is none.
    mutating func removeRetention(of payload: PayloadID) throws
    /// The last statements of other devices about a payload, by device.
    func holders(of payload: PayloadID) throws -> [HolderRow]
    /// The last statement of a device about a payload; `nil` where it has made none.
    func holder(of payload: PayloadID, device: DeviceID) throws -> HolderRow?
    /// Statements of a device about which it is to be asked again by a time.
    /// - Parameters:
    ///   - device: The device.
    ///   - milliseconds: The time, in milliseconds since 1970.
    ///   - last: The statement to begin behind, which may have been replaced since; `nil` from the beginning.
    ///   - limit: The most statements to return.
    /// - Returns: The first of them, ascending by ``HolderRow/due``, then by payload.
    /// - Throws: `StorageError`.
    /// - Complexity: O(found statements).
    func holders(
        device: DeviceID,
        dueBy milliseconds: UInt64,
        after last: HolderRow?,
        limit: Int
    ) throws -> [HolderRow]
    /// The devices with statements about payloads, ascending.
    /// - Complexity: O(found devices), however many statements there are.
    func statingDevices() throws -> [DeviceID]
    /// Inserts or replaces the last statement of a device about a payload.
    mutating func save(_ holder: HolderRow) throws
    /// Forgets all statements about a payload.
    mutating func removeHolders(of payload: PayloadID) throws
    /// Forgets some statements of a device.
    /// - Returns: Whether there was one.
    mutating func removeHolders(device: DeviceID, limit: Int) throws -> Bool
    /// Assets whose content is here, behind a number, ascending by number.
    /// - Complexity: O(found assets).
    func presentAssets(after number: UInt64, limit: Int) throws -> [PresentAsset]
    /// The messages that refer to a payload, ascending by number.
    func messages(with payload: PayloadID) throws -> [MessageRow]
    /// Messages that were sent from here with a payload, and that a recipient has not acknowledged, ascending by
    /// number.
    func unsettledMessages(limit: Int) throws -> [MessageRow]

    /// The promises of relays about a payload, by relay.
    func custodies(of payload: PayloadID) throws -> [CustodyRow]
    /// Promises of a relay for messages (``CustodyRow/kind``) about payloads that no unsettled message refers to, by payload.
    /// - Complexity: O(promises of the relay for messages).
    func unneededCustodies(by relay: DeviceID, limit: Int) throws -> [CustodyRow]
    /// Inserts or replaces a relay's promise about a payload.
    mutating func save(_ custody: CustodyRow) throws
    /// Forgets it.
    mutating func removeCustody(of payload: PayloadID, by relay: DeviceID) throws
    /// The relays that have promised to keep payloads, ascending.
    /// - Complexity: O(found relays), however many promises there are.
    func promisingRelays() throws -> [DeviceID]
    /// Forgets some promises of a relay.
    /// - Returns: Whether there was one.
    mutating func removeCustodies(by relay: DeviceID, limit: Int) throws -> Bool
    /// Makes all promises that were asked under a zone for records promises for messages.
    /// - Complexity: O(promises).
    mutating func loosenCustodies(zone: ZoneID) throws
    /// The number of bytes of payloads kept here for others, with padding, wanted ones included, by the device that asked first.
    /// - Complexity: O(devices that have asked), however many payloads there are.
    func custodyByteCounts() throws -> [DeviceID: UInt64]
    /// The part of these bytes that is not kept for one message of one device alone, see ``PayloadRow/Keeping``.
    func recordCustodyByteCount() throws -> UInt64

    /// Parcels that were left on a relay, or on all of them, in the order in which they were.
    func postedParcels(on relay: RelayID?, limit: Int) throws -> [PostedParcelRow]
    /// Remembers a parcel that was left; replaces its row.
    mutating func save(_ parcel: PostedParcelRow) throws
    /// Forgets a parcel that was left; without effect where there is none.
    mutating func remove(_ parcel: PostedParcelRow) throws
    /// The size up to which each log of a zone was left for a device, on any relay.
    func postedSizes(for device: DeviceID, zone: ZoneID) throws -> [LogKey: UInt64]
    /// Sets up to which size a log was left for a device; it may become smaller.
    mutating func setPostedSize(_ size: UInt64, of log: LogKey, for device: DeviceID) throws

    /// The state of a zone's upkeep.
    func upkeep(zone: ZoneID) throws -> UpkeepRow
    /// Replaces the state of a zone's upkeep.
    mutating func save(_ upkeep: UpkeepRow) throws

    /// The feed's entry about a zone itself; `nil` for a zone without news since it was first stored.
    func feedMark(_ zone: ZoneID) throws -> FeedMark?
    /// The position of the newest entry about a zone; 0 when there is none.
    func newestFeedMark() throws -> UInt64
    /// Replaces the feed's entry about a zone by one that is newer than all others.
    mutating func save(_ mark: FeedMark, zone: ZoneID) throws

    /// The offer of a zone's ownership that is noted; `nil` for none.
    func notedOffer(of zone: ZoneID) throws -> NotedOffer?
    /// Replaces, or with `nil` removes, the offer that is noted.
    mutating func setNotedOffer(_ offer: NotedOffer?, of zone: ZoneID) throws

    /// The size that other devices hold of a log of this store that continues elsewhere; `nil` where none is noted.
    func sharedSize(of log: LogKey) throws -> UInt64?
    /// Replaces, or with `nil` removes, the size that other devices hold of a log.
    mutating func setSharedSize(_ size: UInt64?, of log: LogKey) throws

    /// The devices that are known, with the times since when they are.
    func knownDevices() throws -> KnownDevices
    /// Replaces the known devices.
    /// - Complexity: O(devices).
    mutating func save(_ known: KnownDevices) throws

    /// The indexes that programs have requested on this device; `nil` when that was never noted.
    func requestedIndexes(container: String) throws -> [FieldIndex]?
    /// Replaces the indexes that programs have requested on this device.
    mutating func setRequestedIndexes(_ indexes: [FieldIndex], container: String) throws

    /// The position of the feed up to which messages are taken from it.
    func inboxPosition() throws -> UInt64
    /// Replaces the position of the feed up to which messages are taken from it.
    mutating func setInboxPosition(_ position: UInt64) throws
    /// Takes a number that no message had; 1 at first.
    mutating func takeMessageNumber() throws -> UInt64
    /// Takes a number that no payload had; 1 at first.
    mutating func takePayloadNumber() throws -> UInt64

    /// A small value under a name that is known only as the program runs; `nil` when it was never set.
    func value(named name: String) throws -> [UInt8]?
    /// Sets (or with `nil` removes) a small named value.
    mutating func setValue(_ value: [UInt8]?, named name: String) throws
}

extension NodeTransaction {
    /// The first payloads with missing chunks, in the order in which they became known.
    package func wantedPayloads(limit: Int) throws -> [PayloadRow] { try wantedPayloads(after: 0, limit: limit) }
}
