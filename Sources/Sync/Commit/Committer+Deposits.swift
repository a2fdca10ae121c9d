import Identity
import Records
package import Wire

// What this device wrote after its account had lost the right to.
extension Committer {
    /// Bytes of one run of a deposit, roughly.
    private static let depositRunByteCount = 1 << 20

    /// What this device wrote in a zone above the places where its logs end, for a peer that keeps it as quarantined.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - held: How much of each log the peer holds, where it said so: a removed device does not know where its logs end.
    ///   - transaction: The store.
    /// - Returns: The runs, as many as are kept of each log.
    /// - Throws: `ReplicaError`, or what the store throws.
    package func deposits(
        in zone: ZoneID,
        above held: [ActorLane: UInt64]? = nil,
        _ transaction: some NodeTransaction
    ) throws -> [Run] {
        var runs: [Run] = []
        for row in try transaction.logs(zone: zone) where row.device == device && row.key.lane == .data {
            var from: UInt64 = 0
            let limit = held.map { $0[row.key.actorLane] ?? 0 }
            while let run = try deposit(
                row.key,
                above: limit,
                from: from,
                byteCount: Self.depositRunByteCount,
                in: transaction
            ) {
                runs.append(run)
                from = run.signedHead.head.size
            }
        }
        return runs
    }
}
