/// One character of base32 as the number 0 to 31 that it stands for: an element of GF(32).
struct Base32Symbol: Equatable, Sendable {
    /// 0 to 31.
    let value: UInt8

    private init(value: UInt8) {
        self.value = value
    }

    /// Reads an ASCII letter of either case or a digit 2 to 7; nil for anything else.
    init?(_ ascii: UInt8) {
        switch ascii {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = ascii - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): value = ascii - UInt8(ascii: "a")
        case UInt8(ascii: "2")...UInt8(ascii: "7"): value = ascii - UInt8(ascii: "2") + 26
        default: return nil
        }
    }

    /// The upper-case character.
    var character: Character {
        Character(Unicode.Scalar(value < 26 ? UInt8(ascii: "A") + value : UInt8(ascii: "2") + value - 26))
    }

    /// The check character of a group.
    /// - Parameters:
    ///   - data: The group's other characters; at most 30, so that their factors differ.
    ///   - group: The group's number, from 1; at most 31.
    /// - Returns: See ``CheckedGroups``.
    static func check(of data: some Collection<Base32Symbol>, group: Int) -> Base32Symbol {
        assert(data.count <= 30 && (1...31).contains(group), "factors and numbers repeat beyond the field")
        var sum: UInt8 = 0
        for symbol in data {
            sum = timesAlpha(sum ^ symbol.value)
        }
        return Base32Symbol(value: sum ^ UInt8(truncatingIfNeeded: group & 31))
    }

    /// A shift, reduced by x⁵ + x² + 1.
    private static func timesAlpha(_ value: UInt8) -> UInt8 {
        let doubled = value << 1
        return doubled & 0x20 == 0 ? doubled : doubled ^ 0x25
    }
}
