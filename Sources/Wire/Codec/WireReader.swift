/// Reads canonical encodings from bytes of unknown origin.
///
/// The reader is a window on one shared array: nested readers and fields are positions, not copies. Every length is
/// compared with its limit and with the bytes that are left before anything is allocated.
package struct WireReader: Sendable {
    private let storage: [UInt8]
    private var offset: Int
    private let end: Int
    private var depth: Int

    /// Reads the bytes from their beginning.
    package init(_ bytes: [UInt8]) {
        storage = bytes
        offset = 0
        end = bytes.count
        depth = 0
    }

    /// Reads the bytes of a slice.
    /// - Complexity: O(count), the slice is copied once.
    package init(_ bytes: ArraySlice<UInt8>) {
        self.init([UInt8](bytes))
    }

    private init(window: WireReader, end: Int) {
        storage = window.storage
        offset = window.offset
        self.end = end
        depth = window.depth
    }

    /// The number of bytes left.
    package var remaining: Int { end &- offset }

    /// A place in the bytes, for `bytes(since:)` and `count(since:)`.
    package var position: Int { offset }

    /// Copies the bytes read since a position of this reader.
    /// - Complexity: O(count).
    package func bytes(since position: Int) -> [UInt8] {
        guard position >= 0, position <= offset else { return [] }
        return [UInt8](storage[position..<offset])
    }

    /// Returns the number of bytes read since a position of this reader.
    package func count(since position: Int) -> Int {
        offset &- position
    }

    /// Makes sure nothing is left.
    /// - Throws: `.trailingBytes`.
    package func finish() throws(WireError) {
        guard offset == end else { throw .trailingBytes }
    }

    /// Reads one byte.
    /// - Throws: `.truncated`.
    package mutating func readByte() throws(WireError) -> UInt8 {
        guard offset < end else { throw .truncated }
        let byte = storage[offset]
        offset &+= 1
        return byte
    }

    /// Reads 0 or 1.
    /// - Throws: `.truncated`, or `.invalidValue` for any other byte.
    package mutating func readBool() throws(WireError) -> Bool {
        switch try readByte() {
        case 0: return false
        case 1: return true
        default: throw .invalidValue("bool")
        }
    }

    /// Reads an unsigned integer of 1 to 10 bytes.
    /// - Throws: `.truncated`; `.notMinimal` when it has needless bytes or more than 64 bits.
    package mutating func readVarint() throws(WireError) -> UInt64 {
        guard offset < end else { throw .truncated }
        let first = storage[offset]
        offset &+= 1
        guard first >= 0x80 else { return UInt64(first) }
        return try readLongVarint(UInt64(first & 0x7F))
    }

    private mutating func readLongVarint(_ low: UInt64) throws(WireError) -> UInt64 {
        var value = low
        var shift: UInt64 = 7
        while offset < end {
            let byte = storage[offset]
            offset &+= 1
            // The tenth byte holds the 64th bit and nothing more.
            if shift == 63, byte > 1 { throw .notMinimal }
            value |= UInt64(byte & 0x7F) &<< shift
            if byte < 0x80 {
                // A last byte of zero adds nothing: the same number has a shorter form.
                guard byte != 0 else { throw .notMinimal }
                return value
            }
            shift &+= 7
        }
        throw .truncated
    }

    /// Reads a signed integer in zigzag form.
    /// - Throws: as `readVarint()`.
    package mutating func readSigned() throws(WireError) -> Int64 {
        let raw = try readVarint()
        return Int64(bitPattern: (raw >> 1) ^ (0 &- (raw & 1)))
    }

    /// Reads 8 bytes, most significant first.
    /// - Throws: `.truncated`.
    package mutating func readUInt64() throws(WireError) -> UInt64 {
        guard end &- offset >= 8 else { throw .truncated }
        var value: UInt64 = 0
        for index in offset..<(offset &+ 8) {
            value = (value &<< 8) | UInt64(storage[index])
        }
        offset &+= 8
        return value
    }

    /// Reads a double.
    /// - Throws: `.truncated`; `.notCanonicalNaN`.
    package mutating func readDouble() throws(WireError) -> Double {
        let value = Double(bitPattern: try readUInt64())
        guard !value.isNaN || value.bitPattern == Double.canonicalNaNBitPattern else { throw .notCanonicalNaN }
        return value
    }

    /// Reads a digest's 32 bytes.
    /// - Throws: `.truncated`.
    package mutating func readDigest() throws(WireError) -> Digest32 {
        guard end &- offset >= 32 else { throw .truncated }
        return Digest32(
            word0: try readUInt64(),
            word1: try readUInt64(),
            word2: try readUInt64(),
            word3: try readUInt64()
        )
    }

    /// Reads a given number of bytes without a length.
    /// - Throws: `.truncated`.
    package mutating func readFixed(_ count: Int) throws(WireError) -> [UInt8] {
        guard count >= 0, remaining >= count else { throw .truncated }
        let range = offset..<(offset &+ count)
        offset = range.upperBound
        return [UInt8](storage[range])
    }

    /// Reads a length.
    /// - Parameter maximum: The largest accepted, in bytes.
    /// - Returns: The length; that many bytes are left.
    /// - Throws: `.tooLong`; `.truncated` when fewer bytes are left; as `readVarint()`.
    package mutating func readLength(maximum: Int) throws(WireError) -> Int {
        let length = try readVarint()
        guard length <= UInt64(maximum) else { throw .tooLong(limit: maximum) }
        guard length <= UInt64(remaining) else { throw .truncated }
        return Int(length)
    }

    /// Reads a number of items.
    /// - Parameters:
    ///   - maximum: The largest accepted.
    ///   - itemByteCountMin: The size of the smallest item, at least 1: a count that the bytes left cannot hold is
    ///     refused before room is made for it.
    /// - Returns: The count, safe to reserve.
    /// - Throws: `.tooLong`; `.truncated`; as `readVarint()`.
    package mutating func readCount(maximum: Int, itemByteCountMin: Int) throws(WireError) -> Int {
        let count = try readVarint()
        guard count <= UInt64(maximum) else { throw .tooLong(limit: maximum) }
        guard count <= UInt64(remaining / max(itemByteCountMin, 1)) else { throw .truncated }
        return Int(count)
    }

    /// Reads a length and the bytes.
    /// - Parameter maximum: The largest accepted length.
    /// - Returns: The bytes.
    /// - Throws: as `readLength(maximum:)`.
    package mutating func readBytes(maximum: Int) throws(WireError) -> [UInt8] {
        try readFixed(try readLength(maximum: maximum))
    }

    /// Reads a length in bytes and that much UTF-8.
    /// - Parameters:
    ///   - minimum: The smallest accepted length in bytes.
    ///   - maximum: The largest accepted length in bytes.
    /// - Returns: The string with exactly these bytes; nothing is repaired or normalised.
    /// - Throws: as `readLength(maximum:)`; `.invalidValue` when shorter than the minimum; `.invalidUTF8`.
    package mutating func readString(minimum: Int = 0, maximum: Int) throws(WireError) -> String {
        let length = try readLength(maximum: maximum)
        guard length >= minimum else { throw .invalidValue("string length") }
        return try readText(byteCount: length)
    }

    /// Reads all that is left as UTF-8.
    /// - Throws: `.invalidUTF8`.
    package mutating func readRestAsString() throws(WireError) -> String {
        try readText(byteCount: remaining)
    }

    /// Reads UTF-8 of a length that is known to be there.
    private mutating func readText(byteCount: Int) throws(WireError) -> String {
        let range = offset..<(offset &+ byteCount)
        guard let string = String(validating: storage[range], as: UTF8.self) else { throw .invalidUTF8 }
        offset = range.upperBound
        return string
    }

    /// Reads a length and returns a reader for exactly that many bytes; this reader continues behind them.
    ///
    /// The caller reads the payload and calls `finish()` on the nested reader.
    /// - Parameter maximum: The largest accepted length.
    /// - Returns: The reader of the payload.
    /// - Throws: as `readLength(maximum:)`.
    package mutating func readNested(maximum: Int) throws(WireError) -> WireReader {
        let length = try readLength(maximum: maximum)
        let nested = WireReader(window: self, end: offset &+ length)
        offset &+= length
        return nested
    }

    /// Everything that is left.
    /// - Complexity: O(remaining).
    package mutating func readRest() -> [UInt8] {
        let rest = [UInt8](storage[offset..<end])
        offset = end
        return rest
    }

    /// Reads 0 and gives `nil`, or 1 and the value.
    /// - Throws: `WireError`.
    package mutating func readOptional<Value: WireCodable>(_: Value.Type = Value.self) throws(WireError) -> Value? {
        guard try readBool() else { return nil }
        return try Value(from: &self)
    }

    /// Reads a count and that many items.
    /// - Parameters:
    ///   - maximum: The largest accepted count.
    ///   - itemByteCountMin: The size of the smallest item, at least 1.
    /// - Returns: The items as they came.
    /// - Throws: as `readCount(maximum:itemByteCountMin:)`; any error of an item.
    package mutating func readList<Item: WireCodable>(
        maximum: Int,
        itemByteCountMin: Int
    ) throws(WireError) -> [Item] {
        let count = try readCount(maximum: maximum, itemByteCountMin: itemByteCountMin)
        var items: [Item] = []
        items.reserveCapacity(count)
        for _ in 0..<count {
            items.append(try Item(from: &self))
        }
        return items
    }

    /// Reads a count and that many items in strictly ascending order of their keys.
    /// - Parameters:
    ///   - maximum: The largest accepted count.
    ///   - itemByteCountMin: The size of the smallest item, at least 1.
    /// - Returns: The items as they came.
    /// - Throws: as `readList(maximum:itemByteCountMin:)`; `.notAscending`.
    package mutating func readAscending<Item: WireCodable & WireOrdered>(
        maximum: Int,
        itemByteCountMin: Int
    ) throws(WireError) -> [Item] {
        let count = try readCount(maximum: maximum, itemByteCountMin: itemByteCountMin)
        var items: [Item] = []
        items.reserveCapacity(count)
        for _ in 0..<count {
            let item = try Item(from: &self)
            if let last = items.last, last.orderKey >= item.orderKey { throw .notAscending }
            items.append(item)
        }
        return items
    }

    /// Notes that a container's items follow; pair with `leave()`.
    /// - Throws: `.tooDeep` beyond `Limits.nestingDepthMax`.
    package mutating func enter() throws(WireError) {
        guard depth < Limits.nestingDepthMax else { throw .tooDeep }
        depth &+= 1
    }

    /// Notes the end of a container.
    package mutating func leave() {
        depth &-= 1
    }

    /// Whether the bytes between two positions sort strictly before those between two others.
    /// - Parameters:
    ///   - left: Positions of this reader, already passed.
    ///   - right: Positions of this reader, already passed.
    /// - Returns: Lexicographic order by bytes; a proper prefix sorts first.
    /// - Complexity: O(count).
    package func areBytesAscending(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        let passed = 0..<offset
        return storage[left.clamped(to: passed)].lexicographicallyPrecedes(storage[right.clamped(to: passed)])
    }
}
