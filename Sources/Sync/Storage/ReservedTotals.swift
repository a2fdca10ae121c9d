package import Wire

/// The totals of a zone's records that daemons write by themselves, see `ReservedType`, without deleted ones.
package struct ReservedTotals: Sendable, Hashable {
    /// The number of records.
    package var count: UInt64
    /// Their bytes, as `RecordRow.visibleByteCount` counts.
    package var byteCount: UInt64
    /// The bytes of the messages among them, whose content comes from programs.
    package var messageByteCount: UInt64

    /// Totals.
    package init(count: UInt64 = 0, byteCount: UInt64 = 0, messageByteCount: UInt64 = 0) {
        self.count = count
        self.byteCount = byteCount
        self.messageByteCount = messageByteCount
    }
}

extension NodeTransaction {
    /// The number of a zone's undeleted records of programs.
    /// - Complexity: O(1).
    package func programRecordCount(zone: ZoneID) throws -> UInt64 {
        let (all, reserved) = (try recordCount(zone: zone), try reservedTotals(zone: zone).count)
        return all - min(all, reserved)
    }

    /// The bytes of a zone's records of programs that are not deleted.
    /// - Complexity: O(1).
    package func programByteCount(zone: ZoneID) throws -> UInt64 {
        let (all, reserved) = (try recordByteCount(zone: zone), try reservedTotals(zone: zone).byteCount)
        return all - min(all, reserved)
    }

    /// The bytes of a zone for which a program has a limit: of its records and of messages, but not of the records
    /// that daemons exchange about these.
    /// - Complexity: O(1).
    package func limitedByteCount(zone: ZoneID) throws -> UInt64 {
        try programByteCount(zone: zone) + reservedTotals(zone: zone).messageByteCount
    }
}
