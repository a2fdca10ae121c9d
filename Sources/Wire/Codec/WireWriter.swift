/// Appends canonical encodings to a growing array of bytes.
package struct WireWriter: Sendable {
    /// The bytes written so far.
    package private(set) var bytes: [UInt8]

    /// Starts empty.
    /// - Parameter capacity: How many bytes to reserve; a guess saves copies, nothing else.
    package init(capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Writes one byte.
    package mutating func writeByte(_ byte: UInt8) {
        bytes.append(byte)
    }

    /// Writes 0 or 1.
    package mutating func writeBool(_ value: Bool) {
        bytes.append(value ? 1 : 0)
    }

    /// Writes an unsigned integer as little-endian base 128 (LEB128) in as few bytes as possible, 1 to 10.
    package mutating func writeVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes a count or length.
    /// - Precondition: not negative.
    package mutating func writeCount(_ count: Int) {
        writeVarint(UInt64(count))
    }

    /// Writes a signed integer in zigzag form (0, -1, 1, -2 … become 0, 1, 2, 3 …), so that small ones stay short.
    package mutating func writeSigned(_ value: Int64) {
        writeVarint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    /// Writes 8 bytes, most significant first.
    package mutating func writeUInt64(_ value: UInt64) {
        var shift: UInt64 = 64
        while shift > 0 {
            shift &-= 8
            bytes.append(UInt8(truncatingIfNeeded: value &>> shift))
        }
    }

    /// Writes the 8 bytes of an IEEE 754 double, most significant first.
    ///
    /// Every not-a-number becomes the one quiet
    /// NaN 0x7ff8000000000000.
    ///
    /// Minus zero stays itself.
    package mutating func writeDouble(_ value: Double) {
        writeUInt64(value.canonicalBitPattern)
    }

    /// Writes bytes without a length.
    /// - Parameters:
    ///   - fixed: The bytes.
    ///   - count: The required number; another number is a programmer's error and traps.
    package mutating func writeFixed(_ fixed: [UInt8], count: Int) {
        precondition(fixed.count == count, "a field of \(count) bytes has \(fixed.count)")
        bytes.append(contentsOf: fixed)
    }

    /// Appends bytes that are an encoding already.
    package mutating func writeRaw(_ raw: [UInt8]) {
        bytes.append(contentsOf: raw)
    }

    /// Writes a length and the bytes.
    package mutating func writeBytes(_ value: [UInt8]) {
        writeCount(value.count)
        bytes.append(contentsOf: value)
    }

    /// Writes a length in bytes and the UTF-8 form, just as it is (no normalisation).
    package mutating func writeString(_ value: String) {
        let utf8 = value.utf8
        writeCount(utf8.count)
        bytes.append(contentsOf: utf8)
    }

    /// Writes a digest's 32 bytes.
    package mutating func writeDigest(_ digest: Digest32) {
        writeUInt64(digest.word0)
        writeUInt64(digest.word1)
        writeUInt64(digest.word2)
        writeUInt64(digest.word3)
    }

    /// Writes a value.
    package mutating func write(_ value: some WireCodable) {
        value.encode(into: &self)
    }

    /// Writes 0, or 1 and the value.
    package mutating func writeOptional(_ value: (some WireCodable)?) {
        writeBool(value != nil)
        value?.encode(into: &self)
    }

    /// Writes a count and the items in the order given.
    package mutating func writeList(_ items: [some WireCodable]) {
        writeCount(items.count)
        for item in items {
            item.encode(into: &self)
        }
    }

    /// Writes a tag and, behind its length, the output of the closure.
    ///
    /// The form of every open enumeration: a reader that does not know the tag can still carry the payload on.
    /// - Complexity: O(payload); payloads of 128 bytes and more are moved once by a few bytes.
    package mutating func writeTagged(_ tag: UInt64, payload: (inout WireWriter) -> Void) {
        writeVarint(tag)
        let lengthOffset = bytes.count
        // Most payloads are shorter than 128 bytes, whose length is one byte: keep that place and fill it in later.
        bytes.append(0)
        payload(&self)
        let count = bytes.count - lengthOffset - 1
        guard count >= 0x80 else {
            bytes[lengthOffset] = UInt8(truncatingIfNeeded: count)
            return
        }
        var length = WireWriter(capacity: 10)
        length.writeCount(count)
        bytes.replaceSubrange(lengthOffset...lengthOffset, with: length.bytes)
    }
}
