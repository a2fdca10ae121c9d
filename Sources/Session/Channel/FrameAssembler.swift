/// Cuts a stream of bytes into frames, in any pieces of arrival, and copies only frames that were cut.
struct FrameAssembler {
    /// The delimitation of the next frame.
    enum Framing: Equatable {
        /// So many bytes.
        case fixed(Int)
        /// Two bytes of length, big-endian, then so many bytes.
        case lengthPrefixed(minimum: Int, maximum: Int)
    }

    enum Step {
        /// More bytes are needed; all that were given are taken in.
        case incomplete
        /// A frame lies whole in the given bytes. Its length prefix is left out.
        case direct(UnsafeRawBufferPointer)
        /// A frame was put together; ``takeBuffered()`` has it, with its length prefix.
        case buffered
        /// The length is outside of its bounds; nothing is read any more.
        case outOfBounds
    }

    private var buffer: [UInt8] = []

    /// The number of bytes that wait for the rest of their frame.
    var bufferedByteCount: Int {
        buffer.count
    }

    /// Looks for the next frame.
    /// - Parameters:
    ///   - rest: The bytes not looked at yet; the bytes taken are dropped from it.
    ///   - framing: The delimitation of the frame.
    /// - Returns: The frame, or why there is none.
    mutating func advance(_ rest: inout UnsafeRawBufferPointer, _ framing: Framing) -> Step {
        if buffer.isEmpty {
            guard let total = Self.frameByteCount(rest, framing) else { return buffering(&rest) }
            guard total > 0 else { return .outOfBounds }
            guard rest.count >= total else { return buffering(&rest) }
            let header = Self.headerByteCount(framing)
            let frame = UnsafeRawBufferPointer(rebasing: rest[header..<total])
            rest = UnsafeRawBufferPointer(rebasing: rest[total...])
            return .direct(frame)
        }
        let header = Self.headerByteCount(framing)
        if buffer.count < header {
            fill(to: header, from: &rest)
        }
        guard let total = buffer.withUnsafeBytes({ Self.frameByteCount($0, framing) }) else { return .incomplete }
        guard total > 0 else { return .outOfBounds }
        fill(to: total, from: &rest)
        return buffer.count == total ? .buffered : .incomplete
    }

    /// Hands over the frame that was put together.
    mutating func takeBuffered() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &buffer)
        return taken
    }

    /// Takes the memory of a frame back for the next one.
    mutating func recycle(_ frame: consuming [UInt8]) {
        guard buffer.isEmpty else { return }
        frame.removeAll(keepingCapacity: true)
        buffer = frame
    }

    private mutating func buffering(_ rest: inout UnsafeRawBufferPointer) -> Step {
        buffer.append(contentsOf: rest)
        rest = UnsafeRawBufferPointer(rebasing: rest[rest.count...])
        return .incomplete
    }

    private mutating func fill(to total: Int, from rest: inout UnsafeRawBufferPointer) {
        let count = min(max(0, total - buffer.count), rest.count)
        buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest[..<count]))
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }

    static func headerByteCount(_ framing: Framing) -> Int {
        switch framing {
        case .fixed: 0
        case .lengthPrefixed: 2
        }
    }

    /// The whole frame's size: nothing while its length is not known, 0 if the length is not allowed.
    private static func frameByteCount(_ bytes: UnsafeRawBufferPointer, _ framing: Framing) -> Int? {
        switch framing {
        case .fixed(let count):
            return count
        case .lengthPrefixed(let minimum, let maximum):
            guard bytes.count >= 2 else { return nil }
            let count = Int(bytes[0]) << 8 | Int(bytes[1])
            return (minimum...maximum).contains(count) ? 2 + count : 0
        }
    }
}
