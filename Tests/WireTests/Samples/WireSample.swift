import TestSupport
import Wire

/// A wire type of which random valid values can be made.
protocol WireSample: WireCodable, Equatable {
    /// A random value that receivers accept.
    static func sample(_ generator: inout SeededGenerator) -> Self
}

extension SeededGenerator {
    /// A number in 0..<bound.
    mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }

    /// Yes or no.
    mutating func coin() -> Bool {
        next() & 1 == 0
    }

    /// A number that is often small and often at an edge of some width.
    mutating func number(maximum: UInt64 = .max) -> UInt64 {
        let raw =
            switch below(4) {
            case 0: next() % 4
            case 1: (1 as UInt64) << UInt64(below(64))
            case 2: ((1 as UInt64) << UInt64(below(64))) &- 1
            default: next()
            }
        return maximum == .max ? raw : raw % (maximum + 1)
    }

    /// A counter, 1...`Limits.counterMax`.
    mutating func counter() -> UInt64 {
        1 + number(maximum: Limits.counterMax - 1)
    }

    /// A signed number.
    mutating func signed() -> Int64 {
        Int64(bitPattern: number())
    }

    /// A double, the special ones included.
    mutating func double() -> Double {
        let special: [Double] = [0, -0.0, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, 1, -1]
        if coin() { return special[below(special.count)] }
        let raw = Double(bitPattern: next())
        return raw.isNaN ? .nan : raw
    }

    /// 32 bytes; often one of a few, so that equal ones meet.
    mutating func digest() -> Digest32 {
        let word = next()
        if coin() { return Digest32(word0: word % 5, word1: 0, word2: 0, word3: 0) }
        return Digest32(word0: word, word1: next(), word2: next(), word3: next())
    }

    /// Text of a number of bytes within the bounds, in several scripts, composed and decomposed.
    mutating func text(minimum: Int = 1, maximum: Int = 24) -> String {
        let pieces = ["a", "Z", "0", " ", "é", "e\u{301}", "東", "🏮", "\u{0}", "\u{FEFF}"]
        let wanted = minimum + below(maximum - minimum + 1)
        var text = ""
        while text.utf8.count < wanted {
            let piece = pieces[below(pieces.count)]
            text += text.utf8.count + piece.utf8.count <= wanted ? piece : "x"
        }
        return text
    }

    /// Random bytes of a random length.
    mutating func blob(maximum: Int = 40) -> [UInt8] {
        bytes(below(maximum + 1))
    }

    /// Random values, at most as many as requested.
    mutating func list<Item: WireSample>(maximum: Int) -> [Item] {
        (0..<below(maximum + 1)).map { _ in Item.sample(&self) }
    }

    /// Random values of which no two have the same key.
    mutating func distinct<Item: WireSample & WireOrdered>(minimum: Int = 0, maximum: Int) -> [Item] {
        var items: [Item] = []
        let wanted = minimum + below(maximum - minimum + 1)
        while items.count < wanted {
            let item = Item.sample(&self)
            if !items.contains(where: { $0.orderKey == item.orderKey }) {
                items.append(item)
            }
        }
        return items
    }
}
