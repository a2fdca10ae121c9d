package import Queries
package import Wire

/// The node's notes about its zones, logs and devices.
extension MemoryStore {
    package func upkeep(zone: ZoneID) throws -> UpkeepRow { notes.upkeep[zone] ?? UpkeepRow(zone: zone) }

    package mutating func save(_ upkeep: UpkeepRow) throws { notes.upkeep[upkeep.zone] = upkeep.storable }

    package func feedMark(_ zone: ZoneID) throws -> FeedMark? { notes.marks[zone] }

    package func newestFeedMark() throws -> UInt64 { notes.marks.values.lazy.map(\.changed).max() ?? 0 }

    package mutating func save(_ mark: FeedMark, zone: ZoneID) throws { notes.marks[zone] = try mark.storable() }

    package func notedOffer(of zone: ZoneID) throws -> NotedOffer? { notes.offers[zone] }

    package mutating func setNotedOffer(_ offer: NotedOffer?, of zone: ZoneID) throws {
        notes.offers[zone] = offer?.storable
    }

    package func sharedSize(of log: LogKey) throws -> UInt64? { notes.sharedSizes[log] }

    package mutating func setSharedSize(_ size: UInt64?, of log: LogKey) throws {
        notes.sharedSizes[log] = size?.storable
    }

    package func knownDevices() throws -> KnownDevices { notes.known }

    package mutating func save(_ known: KnownDevices) throws { notes.known = known.storable }

    package func requestedIndexes(container: String) throws -> [FieldIndex]? {
        notes.requestedIndexes[BytewiseString(container)]
    }

    package mutating func setRequestedIndexes(_ indexes: [FieldIndex], container: String) throws {
        notes.requestedIndexes[BytewiseString(container)] = indexes
    }

    package func inboxPosition() throws -> UInt64 { notes.inboxPosition }

    package mutating func setInboxPosition(_ position: UInt64) throws { notes.inboxPosition = position.storable }

    package mutating func takeMessageNumber() throws -> UInt64 {
        notes.messageNumber += 1
        return notes.messageNumber
    }

    package mutating func takePayloadNumber() throws -> UInt64 {
        notes.payloadNumber += 1
        return notes.payloadNumber
    }
}
