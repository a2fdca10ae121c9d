package import Wire

/// The feed's entry about a zone itself, besides its records.
///
/// Records are reported at their own positions. A reader that passed these while the zone was hidden from it would
/// never learn of them: so a zone that comes into view has a position of its own, at which a reader goes through all
/// of its records.
package struct FeedMark: Sendable, Equatable {
    /// The place of the zone when this was written.
    package var place: ZonePlace
    /// The position of the newest news of the zone.
    package var changed: UInt64
    /// The position at which it came to its place; 0 while it is hidden.
    package var entered: UInt64

    /// A mark.
    package init(place: ZonePlace, changed: UInt64, entered: UInt64) {
        self.place = place
        self.changed = changed
        self.entered = entered
    }

    fileprivate init(bytes: [UInt8]) throws(StorageError) {
        do {
            var reader = WireReader(bytes)
            guard let place = ZonePlace(rawValue: try reader.readByte()) else { throw WireError.invalidValue("place") }
            self.init(place: place, changed: try reader.readUInt64(), entered: try reader.readUInt64())
            try checkRules()
        } catch {
            throw StorageError(code: .corrupt, message: "a zone's place in the change feed is damaged: \(error)")
        }
    }

    fileprivate var bytes: [UInt8] {
        var writer = WireWriter(capacity: 17)
        writer.writeByte(place.rawValue)
        writer.writeUInt64(changed)
        writer.writeUInt64(entered)
        return writer.bytes
    }
}

extension FeedMark: Validated {
    package func checkRules() throws(BrokenRule) {
        try mustHold(entered <= changed, "the place of a zone changed last when the zone entered it, or later")
        try mustHold((place == .hidden) == (entered == 0), "a zone has entered its place unless it is hidden")
    }
}

extension NodeTransaction {
    /// Returns the mark of a zone; `nil` for a zone without news since it was first kept.
    package func feedMark(_ zone: ZoneID) throws -> FeedMark? {
        try value(named: Self.markName(zone)).map { try FeedMark(bytes: $0) }
    }

    /// The position of the newest mark of all zones; 0 when there is none.
    package func newestFeedMark() throws -> UInt64 {
        guard let bytes = try value(named: Self.newestMarkName) else { return 0 }
        do {
            var reader = WireReader(bytes)
            return try reader.readUInt64()
        } catch {
            throw StorageError(code: .corrupt, message: "the newest place of a zone in the change feed is damaged")
        }
    }

    /// Replaces a zone's mark by one that is newer than all others.
    mutating func save(_ mark: FeedMark, zone: ZoneID) throws {
        if let broken = mark.brokenRule {
            throw StorageError(code: .corrupt, message: "the positions of the change feed are damaged: \(broken)")
        }
        try setValue(mark.bytes, named: Self.markName(zone))
        var writer = WireWriter(capacity: 8)
        writer.writeUInt64(mark.changed)
        try setValue(writer.bytes, named: Self.newestMarkName)
    }

    private static var newestMarkName: String { "feed.zones" }

    private static func markName(_ zone: ZoneID) -> String { "feed.zone." + zone.text }
}
