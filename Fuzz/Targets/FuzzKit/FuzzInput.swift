/// Reads an input as a program: each call takes some of the bytes and makes a decision of them.
///
/// Behind the end everything is zero, so that every prefix of a program is a program.
package struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    /// Starts at the beginning.
    package init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// Whether no bytes are left.
    package var isEmpty: Bool { rest.isEmpty }

    /// The next byte.
    package mutating func byte() -> UInt8 {
        rest.popFirst() ?? 0
    }

    /// One bit of the next byte.
    package mutating func bool() -> Bool {
        byte() & 1 == 1
    }

    /// A number below a bound of at most 256.
    package mutating func below(_ bound: Int) -> Int {
        bound < 2 ? 0 : Int(byte()) % bound
    }

    /// One of some values.
    package mutating func one<Value>(of values: [Value]) -> Value {
        values[below(values.count)]
    }

    /// A number of any size: mostly small, sometimes at an edge.
    package mutating func number() -> UInt64 {
        let first = byte()
        switch first {
        case 0..<0xC0: return UInt64(first)
        case 0xC0..<0xE0: return (0..<8).reduce(0) { value, _ in value << 8 | UInt64(byte()) }
        case 0xE0..<0xF0: return UInt64(byte()) << 8 | UInt64(byte())
        default:
            let edges: [UInt64] = [.max, .max - 1, 1 << 63, 1 << 62, 1 << 62 + 1, 1 << 32, 1 << 31, 1 << 20]
            return edges[Int(first & 7)]
        }
    }

    /// Up to so many bytes, as many as there are.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        let taken = rest.prefix(count)
        rest = rest.dropFirst(taken.count)
        return Array(taken)
    }

    /// Exactly so many bytes, with zeros behind the end.
    package mutating func exactly(_ count: Int) -> [UInt8] {
        let taken = bytes(count)
        return taken + [UInt8](repeating: 0, count: count - taken.count)
    }

    /// A length of one byte and as many bytes.
    package mutating func blob() -> [UInt8] {
        bytes(Int(byte()))
    }

    /// Everything that is left.
    package mutating func remainder() -> [UInt8] {
        bytes(rest.count)
    }

    /// Text of a blob, repaired where it is no UTF-8.
    package mutating func text() -> String {
        String(decoding: blob(), as: UTF8.self)
    }

    /// Changes some bytes as the program decides: flips, inserts, removes, cuts, doubles.
    package mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<below(5) {
            guard !bytes.isEmpty else { return bytes }
            let place = (Int(byte()) << 8 | Int(byte())) % bytes.count
            switch below(6) {
            case 0: bytes[place] ^= 1 << (byte() & 7)
            case 1: bytes[place] = byte()
            case 2: bytes.insert(byte(), at: place)
            case 3: bytes.remove(at: place)
            case 4: bytes.removeSubrange(place...)
            default: bytes.insert(contentsOf: bytes[place...].prefix(Int(byte())), at: place)
            }
        }
        return bytes
    }
}
