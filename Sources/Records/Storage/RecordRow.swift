package import Wire

/// The visible state of one record: the merge of its live operations, kept so that reading merges nothing.
///
/// A row stays when its record is deleted, also after the tombstone's operation was pruned (`live` is then empty), so
/// that a client with an old change token still learns of the deletion.
package struct RecordRow: Equatable, Sendable {
    /// The zone.
    package var zone: ZoneID
    /// The record's name under the zone's tag key.
    package var tag: RecordTag
    /// The record's name.
    package var name: String
    /// The record's type.
    package var type: String
    /// True for a deleted record; `body` then has no fields.
    package var isDeleted: Bool
    /// The version that a conditional write must name.
    package var version: RecordVersion
    /// The joined vector of the operations that make up the visible state.
    package var vector: VersionVector
    /// The joined vector of *all* effective applied operations of the record; an arriving operation whose dot lies
    /// under it is superseded.
    package var context: VersionVector
    /// The live operations, ascending.
    package var live: [Dot]
    /// The dot that created the record.
    package var creation: Dot
    /// The latest clock among the operations that make up the visible state.
    package var time: HybridTime
    /// The encoded `RecordBody`; equal to the operation's own body when `live` has one element, so a store may keep
    /// those bytes once.
    package var body: [UInt8]
    /// The names of the records with which this one is deleted, ascending; see `RecordBody.anchors`.
    package var anchors: [String]
    /// The payloads that the record names by assets, ascending, each once; see `RecordBody.assets`.
    package var assets: [PayloadID]
    /// Whether an operation of the record is held that cannot be read here: the shown state is then the part that
    /// can, or could, be read.
    package var isLocked: Bool

    /// A record row.
    package init(
        zone: ZoneID,
        tag: RecordTag,
        name: String,
        type: String,
        isDeleted: Bool,
        version: RecordVersion,
        vector: VersionVector,
        context: VersionVector,
        live: [Dot],
        creation: Dot,
        time: HybridTime,
        body: [UInt8],
        anchors: [String] = [],
        assets: [PayloadID] = [],
        isLocked: Bool = false
    ) {
        self.zone = zone
        self.tag = tag
        self.name = name
        self.type = type
        self.isDeleted = isDeleted
        self.version = version
        self.vector = vector
        self.context = context
        self.live = live
        self.creation = creation
        self.time = time
        self.body = body
        self.anchors = anchors
        self.assets = assets
        self.isLocked = isLocked
    }

    /// The decoded state.
    /// - Returns: The record's body, each field with all its surviving entries.
    /// - Throws: `.damaged` when the stored bytes are no record's.
    /// - Complexity: O(bytes).
    package func content() throws(ReplicaError) -> RecordBody {
        do {
            return try RecordBody(decoding: body)
        } catch {
            throw .damaged("the visible content of a record cannot be decoded: \(error)")
        }
    }
}
