package import Wire

/// The room on the store's file system for content that only a policy fetches.
///
/// Every member that may write in a zone can name payloads, as many and as large as it likes. So a part of the file system stays free of
/// content that neither a person nor a program has asked for.
package struct AssetRoom: Hashable, Sendable {
    /// The part of the file system that stays free, as its reciprocal: a tenth.
    package static let reservedShare: UInt64 = 10
    /// Bytes that stay free at most, however large the file system is: 8 GiB.
    package static let reservedByteCountMax: UInt64 = 8 << 30

    /// A file system of which nothing is known: nothing is left out.
    package static let unknown = AssetRoom(free: nil, of: nil)

    /// Bytes that may be filled; `nil` where that is not known.
    package let byteCount: UInt64?
    /// Bytes by which the room has to grow before assets that found none are looked at again: so an almost full file system does not cause
    /// that work again and again.
    package let stepByteCount: UInt64

    /// Describes the room.
    /// - Parameters:
    ///   - freeByteCount: Bytes that the process may still write; `nil` where that is not known.
    ///   - fileSystemByteCount: Bytes of the file system; `nil` where that is not known.
    package init(free freeByteCount: UInt64?, of fileSystemByteCount: UInt64?) {
        let share = fileSystemByteCount.map { $0 / Self.reservedShare } ?? Self.reservedByteCountMax
        let reserved = min(share, Self.reservedByteCountMax)
        byteCount = freeByteCount.map { $0 > reserved ? $0 - reserved : 0 }
        stepByteCount = max(reserved / 4, 1)
    }

    /// Returns the bytes that a content of a zone may have which only a policy fetches.
    ///
    /// Contents that arrive for the zone take the room that they need, and those of each other zone no more than an equal share: so a zone
    /// with contents that begin to arrive and never end leaves the others theirs.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - arriving: The bytes of the contents that arrive, by their zones.
    /// - Returns: The bytes; `nil` where the room is not known.
    package func byteCount(for zone: ZoneID, arriving: [ZoneID: UInt64]) -> UInt64? {
        guard let byteCount else { return nil }
        let others = arriving.filter { $0.key != zone }
        let share = byteCount / UInt64(others.count + 1)
        let taken = others.values.reduce(arriving[zone] ?? 0) { sum, count in
            let (next, isBeyond) = sum.addingReportingOverflow(min(count, share))
            return isBeyond ? .max : next
        }
        return byteCount > taken ? byteCount - taken : 0
    }

    /// Whether there is none.
    package var isShort: Bool { byteCount == 0 }
}
