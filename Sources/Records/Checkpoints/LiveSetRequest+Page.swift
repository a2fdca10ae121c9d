package import Wire

extension LiveSetRequest {
    /// Answers the request with a page of the live set of the adopted checkpoint.
    /// - Parameter transaction: The store.
    /// - Returns: The page; an empty one while no checkpoint is adopted, when another one than requested is adopted
    ///   by now, or when the page would be too large.
    /// - Throws: Any error of the store.
    /// - Complexity: O(operations of the page's records), and O(control operations).
    package func page(in transaction: some ReplicaTransaction) throws -> LiveSetPage {
        let nothing = LiveSetPage(nothingOf: self.zone)
        guard let zone = try transaction.zone(self.zone), zone.state == .live, let adopted = zone.adopted,
            place.map({ $0.checkpoint == adopted.hash }) ?? true
        else { return nothing }
        let logs = try ZoneLogs(zone: zone, in: transaction)
        guard let previous = try KnownCheckpoints(logs).previousSizes(adopted, in: transaction) else { return nothing }
        let sizes = adopted.dataSizes
        var records: [LiveSetPage.Record] = []
        var count = 0
        var isLast = true
        try transaction.forEachRecord(zone: zone.id, after: place?.after) { tag, operations in
            let live = LiveSetRecord(operations, sizes: sizes, previous: previous).live
            guard !live.isEmpty else { return true }
            guard count < Limits.liveSetPageDotCountMin else {
                isLast = false
                return false
            }
            records.append(LiveSetPage.Record(tag: tag, dots: live.map(\.dot)))
            count += live.count
            return true
        }
        guard count <= Limits.liveSetDotCountMax else { return nothing }
        return LiveSetPage(zone: zone.id, checkpoint: adopted.hash, records: records, isLast: isLast)
    }
}
