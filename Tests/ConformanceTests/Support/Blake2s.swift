import Sodium

/// BLAKE2s-256 (RFC 7693), which libsodium does not have: only here, so that the Noise vectors for it can be played.
enum Blake2s: HashAlgorithm {
    static let byteCount = 32
    static let blockByteCount = 64
    static let noiseName = "BLAKE2s"

    static func write(
        digestOf first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer,
        to output: UnsafeMutableRawBufferPointer
    ) {
        output.copyBytes(from: hash(Array(first) + Array(second), key: []))
    }

    /// The keyed or unkeyed hash of a message.
    static func hash(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var state = initial
        state[0] ^= 0x0101_0000 ^ UInt32(key.count) << 8 ^ 32
        let keyBlock = key.isEmpty ? [] : key + [UInt8](repeating: 0, count: 64 - key.count)
        var input = keyBlock + message
        let length = input.count
        let padded = max(64, (length + 63) / 64 * 64)
        input.append(contentsOf: repeatElement(0, count: padded - length))
        for start in stride(from: 0, to: padded, by: 64) {
            let isLast = start + 64 == padded
            let words = (0..<16).map { word in
                (0..<4).reduce(UInt32(0)) { $0 | UInt32(input[start + 4 * word + $1]) << UInt32(8 * $1) }
            }
            compress(&state, words, counter: isLast ? UInt64(length) : UInt64(start + 64), isLast: isLast)
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(8 * $0)) } }
    }

    private static func compress(_ state: inout [UInt32], _ words: [UInt32], counter: UInt64, isLast: Bool) {
        var v = state + initial
        v[12] ^= UInt32(truncatingIfNeeded: counter)
        v[13] ^= UInt32(truncatingIfNeeded: counter >> 32)
        if isLast {
            v[14] = ~v[14]
        }
        for round in permutations {
            for (step, (a, b, c, d)) in lanes.enumerated() {
                v[a] = v[a] &+ v[b] &+ words[round[2 * step]]
                v[d] = rotate(v[d] ^ v[a], 16)
                v[c] = v[c] &+ v[d]
                v[b] = rotate(v[b] ^ v[c], 12)
                v[a] = v[a] &+ v[b] &+ words[round[2 * step + 1]]
                v[d] = rotate(v[d] ^ v[a], 8)
                v[c] = v[c] &+ v[d]
                v[b] = rotate(v[b] ^ v[c], 7)
            }
        }
        for index in 0..<8 {
            state[index] ^= v[index] ^ v[index + 8]
        }
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    private static let initial: [UInt32] = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]

    private static let lanes = [
        (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
        (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14),
    ]

    private static let permutations: [[Int]] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
        [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
        [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
        [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
        [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
        [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
        [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
        [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
        [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
    ]
}
