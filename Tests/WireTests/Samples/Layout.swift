import Wire

/// Writes expected encodings by hand, field by field.
enum Layout {
    /// The bytes of hexadecimal parts; spaces are for the eye.
    static func bytes(_ parts: String...) -> [UInt8] {
        let digits = parts.joined().filter { $0 != " " }
        guard let bytes = Hexadecimal.decode(digits) else { preconditionFailure("not hexadecimal: \(digits)") }
        return bytes
    }

    /// One byte repeated, as hexadecimal digits.
    static func fill(_ byte: UInt8, _ count: Int = 32) -> String {
        Hexadecimal.encode([UInt8](repeating: byte, count: count))
    }

    /// An identifier of one byte repeated.
    static func id<Kind: IdentifierKind>(_ byte: UInt8) -> Identifier<Kind> {
        let word = UInt64(byte) &* 0x0101_0101_0101_0101
        return Identifier(Digest32(word0: word, word1: word, word2: word, word3: word))
    }

    /// An incarnation of one byte repeated.
    static func incarnation(_ byte: UInt8) -> Incarnation {
        guard let incarnation = Incarnation([UInt8](repeating: byte, count: 16)) else {
            preconditionFailure("16 bytes are an incarnation")
        }
        return incarnation
    }

    /// A signature of one byte repeated.
    static func signature(_ byte: UInt8) -> Signature64 {
        guard let signature = Signature64([UInt8](repeating: byte, count: 64)) else {
            preconditionFailure("64 bytes are a signature")
        }
        return signature
    }

    /// A tree head with short fields, of 84 + 98 bytes.
    static func head(size: UInt64 = 5, root: UInt8 = 0x44) -> TreeHead {
        TreeHead(
            zone: id(0x11),
            device: id(0x22),
            incarnation: incarnation(0x33),
            lane: .data,
            size: size,
            root: id(root),
            right: .zero,
            seen: [id(0x55): 7]
        )
    }

    /// The encoding of `head(size:root:)`, for sizes below 128.
    static func headHex(size: UInt8 = 5, root: UInt8 = 0x44) -> String {
        "01" + fill(0x11) + fill(0x22) + fill(0x33, 16) + "01" + Hexadecimal.encode([size]) + fill(root)
            + fill(0) + "01" + fill(0x55) + "07"
    }

    /// A signed head with the signature 0x66….
    static func signedHead(size: UInt64 = 5, root: UInt8 = 0x44) -> SignedTreeHead {
        SignedTreeHead(head(size: size, root: root), signature: signature(0x66))
    }

    /// The encoding of `signedHead(size:root:)`: 181 bytes (b5 01) of head, then the signature.
    static func signedHeadHex(size: UInt8 = 5, root: UInt8 = 0x44) -> String {
        "b501" + headHex(size: size, root: root) + fill(0x66, 64)
    }

    /// A zone's genesis with short fields.
    static let genesis = ZoneGenesis(
        owner: id(0x0A),
        container: "org.x",
        name: "n",
        salt: [UInt8](repeating: 0x0B, count: 32),
        history: .fromJoin,
        isDefault: true
    )

    /// The encoding of `genesis`: 74 bytes.
    static let genesisHex = fill(0x0A) + "05 6f72672e78" + "01 6e" + fill(0x0B) + "02 01"
}

extension WireCodable where Self: Equatable {
    /// Whether the value and the bytes belong together in both directions.
    func isEncoded(as bytes: [UInt8]) -> Bool {
        // A refusal is the answer "no".
        encoded == bytes && (try? Self(decoding: bytes)) == self
    }
}
