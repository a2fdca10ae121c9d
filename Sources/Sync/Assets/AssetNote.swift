import Wire

/// The facts about the payload of an asset that this device remembers beside its row.
///
/// There is a note only while there is a row.
struct AssetNote: Hashable, Sendable {
    /// A statement that the bytes of the payload have shown to be false.
    struct FalseStatement: Hashable, Sendable {
        /// The zone under which the payload was fetched by it.
        let zone: ZoneID
        /// See ``PayloadStatement/mark``.
        let mark: UInt64
    }

    /// False statements of one zone about one payload, after which the zone's statements about it are ignored: each costs the transfer of
    /// a chunk.
    static let falseStatementsOfZoneMax = 8
    /// False statements about one payload that are remembered.
    ///
    /// Where there are as many, each zone has one attempt: no number of zones with false statements keeps that of another one from being
    /// tried.
    static let falseStatementsMax = 1_024

    /// Whether a program or a person has asked for the content, so that no policy ends the transfer.
    var isAsked = false
    /// Whether all of it was here before a part was found damaged: the sound chunks may be the only ones.
    var wasWhole = false
    /// The false statements, in the order in which they were found.
    private(set) var falseStatements: [FalseStatement] = []

    /// Whether there is nothing to remember.
    var isEmpty: Bool { !isAsked && !wasWhole && falseStatements.isEmpty }

    /// Whether the payload is not to be fetched by a statement: it is false, or its zone has stated too much that is.
    func excludes(_ statement: PayloadStatement, of zone: ZoneID) -> Bool {
        guard !falseStatements.isEmpty else { return false }
        let attempts = falseStatements.count < Self.falseStatementsMax ? Self.falseStatementsOfZoneMax : 1
        return isFalse(statement) || falseStatements.count { $0.zone == zone } >= attempts
    }

    /// Whether a statement was found to be false.
    func isFalse(_ statement: PayloadStatement) -> Bool {
        guard !falseStatements.isEmpty else { return false }
        let mark = statement.mark
        return falseStatements.contains { $0.mark == mark }
    }

    /// Notes that a statement is false.
    mutating func refute(_ statement: PayloadStatement, of zone: ZoneID) {
        guard !isFalse(statement) else { return }
        if falseStatements.count >= Self.falseStatementsMax {
            // As long as there is another one of its zone, that stays known.
            let zones = falseStatements.reduce(into: [ZoneID: Int]()) { $0[$1.zone, default: 0] += 1 }
            falseStatements.remove(at: falseStatements.firstIndex { zones[$0.zone, default: 0] > 1 } ?? 0)
        }
        falseStatements.append(FalseStatement(zone: zone, mark: statement.mark))
    }
}

extension AssetNote {
    /// Bytes of one false statement.
    private static let itemByteCount = Digest32.byteCount + 8

    /// Reads a stored note; `nil` for other bytes.
    init?(decoding bytes: [UInt8]) {
        var reader = WireReader(bytes)
        do {
            isAsked = try reader.readBool()
            wasWhole = try reader.readBool()
            let count = try reader.readCount(
                maximum: Self.falseStatementsMax,
                itemByteCountMin: Self.itemByteCount
            )
            for _ in 0..<count {
                let zone = ZoneID(try reader.readDigest())
                falseStatements.append(FalseStatement(zone: zone, mark: try reader.readUInt64()))
            }
            try reader.finish()
        } catch {
            return nil
        }
    }

    var encoded: [UInt8] {
        var writer = WireWriter()
        writer.writeBool(isAsked)
        writer.writeBool(wasWhole)
        writer.writeCount(falseStatements.count)
        for statement in falseStatements {
            writer.writeDigest(statement.zone.digest)
            writer.writeUInt64(statement.mark)
        }
        return writer.bytes
    }
}

extension NodeTransaction {
    /// The note about a payload; an empty one where there is none.
    ///
    /// A damaged note is treated as none: then a transfer that was asked for may end by a policy, and a false statement be tried again.
    func assetNote(of payload: PayloadID) throws -> AssetNote {
        try value(named: AssetNote.name(of: payload)).flatMap(AssetNote.init(decoding:)) ?? AssetNote()
    }

    /// Replaces the note about a payload, where it differs.
    mutating func setAssetNote(_ note: AssetNote, of payload: PayloadID) throws {
        guard try note != assetNote(of: payload) else { return }
        try setValue(note.isEmpty ? nil : note.encoded, named: AssetNote.name(of: payload))
    }
}

extension AssetNote {
    fileprivate static func name(of payload: PayloadID) -> String { "asset/" + payload.text }
}
