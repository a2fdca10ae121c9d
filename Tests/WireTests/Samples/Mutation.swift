import TestSupport

/// Ways to damage an encoding, aimed at the mistakes of a lenient decoder.
enum Mutation {
    /// Bytes that mean something to some field: flags, tags, edges of varints.
    private static let telling: [UInt8] = [0, 1, 2, 3, 0x7F, 0x80, 0x81, 0xC0, 0xFF]

    /// Damages bytes in one to three places.
    /// - Parameters:
    ///   - bytes: The bytes; stay as they are only by chance.
    ///   - generator: Decides the places and the changes.
    static func apply(to bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        for _ in 0...generator.below(3) {
            applyOnce(to: &bytes, &generator)
        }
    }

    private static func applyOnce(to bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard !bytes.isEmpty else {
            bytes.append(UInt8(truncatingIfNeeded: generator.next()))
            return
        }
        let place = generator.below(bytes.count)
        switch generator.below(10) {
        case 0: bytes[place] ^= 1 << UInt8(generator.below(8))
        case 1: bytes[place] = telling[generator.below(telling.count)]
        case 2: bytes[place] &+= generator.coin() ? 1 : 255
        case 3: bytes.remove(at: place)
        case 4: bytes.insert(telling[generator.below(telling.count)], at: place)
        case 5: bytes.removeLast(generator.below(bytes.count))
        case 6: bytes.append(telling[generator.below(telling.count)])
        case 7:
            // The same number in one byte more, which "minimal" forbids.
            bytes[place] |= 0x80
            bytes.insert(0, at: place + 1)
        case 8:
            let other = generator.below(bytes.count)
            bytes.swapAt(place, other)
        default:
            // Repeats or swaps whole digests, the items of most lists.
            let end = min(place + 32, bytes.count)
            bytes.insert(contentsOf: bytes[place..<end], at: generator.below(bytes.count))
        }
    }
}
