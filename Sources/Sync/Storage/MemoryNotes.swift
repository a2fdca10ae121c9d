import Queries
import Wire

/// The notes of a node in memory: of its zones, logs and devices, and of its own place.
struct MemoryNotes: Sendable {
    var upkeep: [ZoneID: UpkeepRow] = [:]
    var marks: [ZoneID: FeedMark] = [:]
    var offers: [ZoneID: NotedOffer] = [:]
    var sharedSizes: [LogKey: UInt64] = [:]
    var known = KnownDevices()
    var requestedIndexes: [BytewiseString: [FieldIndex]] = [:]
    var inboxPosition: UInt64 = 0
    var messageNumber: UInt64 = 0
    var payloadNumber: UInt64 = 0
}
