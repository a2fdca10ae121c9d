import Identity
import Records
package import Wire

// Operations that this device wrote after its account had lost the right to write.
extension Committer {
    /// The approximate size of one run of a deposit, in bytes.
    private static let depositRunByteCount = 1 << 20

    /// Returns this device's operations in a zone above the ends of its logs, for a peer that keeps them in
    /// quarantine.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - held: The size of each log at the peer, where it stated them: a removed device does not know where its
    ///     logs end.
    ///   - transaction: The store.
    /// - Returns: The runs, as many as the peer keeps of each log.
    /// - Throws: `ReplicaError`, or an error of the store.
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
