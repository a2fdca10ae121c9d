import Records
import Sync
import Wire

/// The store's own form of headers and record bookkeeping.
///
/// The canonical wire form repeats 32-byte identifiers; here each is the varint of its row in `identifier`, which
/// shrinks a typical header from some 250 bytes to about 60. The form never leaves the database. It is lossless:
/// reading gives a value equal to the written one, so the canonical bytes can always be made again.
extension SQLiteTransaction {
    /// Writes an interned value.
    func encode(_ digest: Digest32, into writer: inout WireWriter) throws {
        writer.writeVarint(UInt64(bitPattern: try intern(digest)))
    }

    /// Reads an interned value.
    func decodeDigest(from reader: inout WireReader) throws -> Digest32 {
        let number = try decoding("identifier") { () throws(WireError) in try reader.readVarint() }
        return try digest(Int64(bitPattern: number))
    }

    /// Writes a dot.
    func encode(_ dot: Dot, into writer: inout WireWriter) throws {
        try encode(dot.actor.digest, into: &writer)
        writer.writeVarint(dot.counter)
    }

    /// Reads a dot.
    func decodeDot(from reader: inout WireReader) throws -> Dot {
        let actor = ActorID(try decodeDigest(from: &reader))
        let counter = try decoding("counter") { () throws(WireError) in try reader.readVarint() }
        return Dot(actor: actor, counter: counter)
    }

    /// Writes a version vector.
    func encode(_ vector: VersionVector, into writer: inout WireWriter) throws {
        let entries = vector.entries
        writer.writeCount(entries.count)
        for entry in entries {
            try encode(entry.actor.digest, into: &writer)
            writer.writeVarint(entry.counter)
        }
    }

    /// Reads a version vector.
    func decodeVector(from reader: inout WireReader) throws -> VersionVector {
        let count = try decodeCount(from: &reader)
        var dots: [Dot] = []
        dots.reserveCapacity(count)
        for _ in 0..<count {
            dots.append(try decodeDot(from: &reader))
        }
        return VersionVector(covering: dots)
    }

    /// Reads a number of items, each of at least two bytes.
    func decodeCount(from reader: inout WireReader) throws(StorageError) -> Int {
        try decoding("count") { () throws(WireError) in
            try reader.readCount(maximum: StorableLimits.listCountMax, itemByteCountMin: 2)
        }
    }
}
