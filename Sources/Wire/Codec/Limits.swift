/// Every size that a decoder enforces, with its reason.
///
/// A limit is part of the protocol: raising one makes old nodes refuse the messages of new ones.
package enum Limits {
    // MARK: Values

    /// Depth of containers in a field's value.
    ///
    /// Application data rarely goes beyond 3; recursion stays far from any stack limit.
    package static let nestingDepthMax = 8
    /// Items of one list value: enough for coordinates of a track, small enough that 2-byte items stay below a few
    /// megabytes in memory.
    package static let listItemCountMax = 65_536
    /// Elements of a set value.
    ///
    /// A record is metadata; larger sets belong into records of their own.
    package static let setElementCountMax = 16_384
    /// Dots of one element of a set: concurrent additions, at most one an actor.
    package static let elementDotCountMax = actorCountMax
    /// Fields of a record.
    package static let fieldCountMax = 1_000
    /// Concurrent values kept for one field.
    ///
    /// Siblings are at most one an actor; beyond this many a person cannot choose, and the writer has to resolve
    /// first.
    package static let fieldEntryCountMax = 64
    /// UTF-8 bytes of a record's name, a type's, a field's, a container's, a zone's.
    ///
    /// One byte of length in most formats; leaves room in file names.
    package static let nameByteCountMax = 255
    /// Bytes of a record's extension that this version carries on unread.
    package static let extensionByteCountMax = 65_536
    /// Bytes of a preview inside a descriptor: one small JPEG.
    package static let thumbnailByteCountMax = 16_384
    /// Bytes of a media type; RFC 6838 allows 127 for each half.
    package static let mediaTypeByteCountMax = 255
    /// UTF-8 bytes of the name of an asset's file: as many as the file systems of Linux take for one component of a path.
    package static let fileNameByteCountMax = 255

    // MARK: Operations and logs

    /// Entries of a version vector, that is actors of one zone.
    ///
    /// 4,096 of 42 bytes are 168 KiB, the most a header may cost.
    package static let actorCountMax = 4_096
    /// Logs of a zone: two lanes an actor.
    package static let logCountMax = actorCountMax * 2
    /// Effective operations of one control log, of an account that owns or administers the zone: 20 years of daily
    /// checkpoints.
    package static let rulersControlCountMax: UInt64 = 8_192
    /// Effective operations of one control log, of any other account.
    ///
    /// Such an account leaves, states the cuts of its removed devices, and begins keys of the zone: ten years of keys
    /// that are renewed monthly and with each change of the readers are some 600.
    package static let membersControlCountMax: UInt64 = 1_024
    /// Bytes of one control log's operations: ten years of daily checkpoints over 500 logs are 180 MB.
    package static let controlByteCountMax: UInt64 = 256 * 1_048_576
    /// Operations of one atomic batch.
    ///
    /// A head never splits a batch, so a batch has to fit one run.
    package static let batchOperationCountMax: UInt32 = 1_024
    /// Bytes of an operation's body: a record of 1 MiB, and 64 KiB for the bytes that sealing and encoding add.
    package static let bodyByteCountMax = 1_048_576 + 65_536
    /// The highest counter and tree size.
    ///
    /// Leaf ranges stay below 2^63, so sums of two never overflow 64 bits.
    package static let counterMax = UInt64(1) << 62
    /// Levels of a subtree: with `counterMax` leaves a tree has 62.
    package static let subtreeLevelMax: UInt8 = 62
    /// Bytes of an encoded tree head: a full vector of sizes and a few hundred bytes beside.
    package static let treeHeadByteCountMax = 196_608
    /// Items of one run; a receiver verifies as many between two looks at the clock.
    package static let runItemCountMax = 16_384
    /// Bytes of one run.
    ///
    /// A batch of large records must fit, a receiver must be able to hold several.
    package static let runByteCountMax = 16 * 1_048_576
    /// Hashes that show a fork: the consistency proof of a tree with 2^62 leaves, and the older root.
    package static let forkEvidenceCountMax = 65
    /// Bytes of a reason that a person typed.
    package static let reasonByteCountMax = 1_024
    /// Lapsed devices that one checkpoint lists.
    package static let lapsedDeviceCountMax = 1_024

    // MARK: Payloads

    /// Plain bytes of the smaller of the two sizes of a chunk: large enough that its overhead costs nothing, small enough that live
    /// traffic behind some of them waits little.
    package static let chunkByteCount = 65_536
    /// Plain bytes of the larger one, for payloads whose outline would be long.
    package static let chunkByteCountMax = 262_144
    /// Bytes that sealing adds to a chunk.
    package static let chunkTagByteCount = 16
    /// Bytes of a payload: 16 gigabytes, a film of some hours.
    package static let payloadByteCountMax: UInt64 = 1 << 34
    /// Chunks of a payload: those of the largest one, in larger chunks, whose outline has two megabytes.
    package static let payloadChunkCountMax = 65_536
    /// Chunks that one message asks for.
    package static let chunkRequestCountMax = 16
    /// Payloads that one message asks promises for: the answer is one transaction, with a chunk that is read for each.
    package static let retentionCountMax = 64

    // MARK: Account

    /// Parents of an account entry and heads of an account log: devices that wrote at once without seeing each
    /// other.
    package static let accountHeadCountMax = 64
    /// Bytes of one entry of the account log; two fit one message.
    package static let accountEntryByteCountMax = 262_144
    /// Bytes of an encoded device certificate with its signature.
    package static let certificateByteCountMax = 4_096
    /// Bytes of a key for envelopes; X-Wing's has 1,216.
    package static let encapsulationKeyByteCountMax = 2_048
    /// UTF-8 bytes of a device's name: one label of a host name.
    package static let deviceNameByteCountMax = 63
    /// UTF-8 bytes of a name that an account or a device gets later, and of one that an account has for another.
    package static let namingByteCountMax = 64

    // MARK: Capabilities

    /// Bytes of an encoded capability with its signature: a few hundred, and room for long names of types.
    package static let signedCapabilityByteCountMax = 2_048
    /// Record types that one capability names.
    package static let caveatTypeCountMax = 16
    /// Steps that may be below a capability: a chain has at most one more.
    package static let delegationDepthMax: UInt8 = 7
    /// Capabilities that one operation ends; their descendants need no mention.
    package static let revokedCapabilityCountMax = 1_024
    /// Removed devices whose cuts one operation states: the logs of as many fit one body.
    package static let removedDeviceCountMax = 64
    /// Capabilities that one operation grants again: 256 of the longest are half of a body.
    package static let regrantCountMax = 256

    // MARK: Epochs

    /// Bytes of an operation that is repeated within another one, whose body has its tag and length beside.
    package static let epochAgainByteCountMax = bodyByteCountMax - 16
    /// Epochs that one epoch names as its predecessors: those that several devices made at once.
    package static let epochPreviousCountMax = 64
    /// Epochs whose keys one operation asks for; a device that lacks more asks again.
    package static let keyRequestCountMax = 64
    /// Bytes of one envelope: with X-Wing it has 1,168.
    package static let envelopeByteCountMax = 2_048
    /// Envelopes that one operation carries; more are delivered by further ones.
    package static let envelopeCountMax = 512
    /// Envelopes that one renewal of the fleet key carries: with X-Wing they fit an entry of the account log.
    package static let fleetEnvelopeCountMax = 200

    // MARK: Schemas

    /// Record types of a container.
    package static let schemaTypeCountMax = 256
    /// Fields that a schema declares of one type; a record may have more.
    package static let schemaFieldCountMax = 512
    /// Properties of a schema, a type or a field: eight are known, and later versions have room.
    package static let schemaAttributeCountMax = 32
    /// Values that a field enumerates.
    package static let schemaValueCountMax = 1_024
    /// Bytes of a schema: a quarter of the most that one operation may carry.
    package static let schemaByteCountMax = 262_144

    // MARK: Messages

    /// Bytes of any message: a full run and its frame.
    package static let messageByteCountMax = 20 * 1_048_576
    /// Bytes of a message other than a run and the outline of a payload.
    package static let smallMessageByteCountMax = 1_048_576
    /// Bytes of the message with the outline of a payload: a hash for each chunk, and its ids.
    package static let outlineMessageByteCountMax = payloadChunkCountMax * Digest32.byteCount + 1_024
    /// Bytes of a long message that go into each of its parts but the last one: with its header a part fits a frame of the channel.
    package static let messagePartByteCount = 61_440
    /// Bytes of the entries in one message of account entries.
    package static let accountEntriesByteCountMax = 524_288
    /// Bytes of account entries that go into one message where there are several: it fits a frame of the channel, which is all that is
    /// taken from a device before its account is known.
    package static let accountEntriesMessageByteCount = 49_152
    /// Entries in one message of account entries; an account log has no more.
    package static let accountEntryCountMax = 4_096
    /// Bytes of a guest's write, and of the answer to it: with an account log it fits one message.
    package static let guestWriteByteCountMax = 491_520
    /// Schema violations that the answer to a guest's write lists.
    package static let guestViolationCountMax = 16
    /// Ranges in one message of digests.
    package static let rangeCountMax = 1_024
    /// Items in one message of range items, all ranges together.
    package static let rangeItemCountMax = 4_096
    /// Operations in one page of a live set: with their records some 600 KiB.
    package static let liveSetDotCountMax = 8_192
    /// Operations that a page names at least, unless it is the last: few pages make a list, so that no sender can
    /// prolong it for ever.
    package static let liveSetPageDotCountMin = 4_096
    /// Nibbles of a range's prefix: the whole hash.
    package static let prefixNibbleCountMax = 64

    // MARK: Mailboxes

    /// Bytes of a sealed parcel: the largest run fits, since one batch may be one run; and it fits a message.
    package static let parcelByteCountMax = 19 * 1_048_576
    /// Bytes of a sealed parcel at least; small ones are padded to it.
    package static let parcelByteCountMin = 4_096
    /// Messages in one parcel.
    package static let parcelMessageCountMax = 4_096
    /// Mailboxes that one request looks into.
    package static let mailboxCountMax = 256
    /// Parcels that one request or answer names.
    package static let parcelCountMax = 256
    /// Passes that an admission gives on a relay.
    package static let passCountMax = 32
}
