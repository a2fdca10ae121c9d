import Identity
import Sodium
import Testing
import Wire

@testable import Node

extension RunningNode {
    /// Makes the log of this device's account long, with entries of a later version's kind.
    /// - Parameter byteCount: The number of bytes that its entries have together afterwards, exactly.
    /// - Throws: An error of the disk.
    func fillAccountLog(to byteCount: Int) throws {
        let identity = node.identity
        _ = try identity.change { log in
            var left = byteCount - log.entries.reduce(0) { $0 + $1.count }
            while left > 240_000 {
                let entry = try Self.entry(in: log, by: identity.keys, byteCount: 100_000)
                try log.insert(entry)
                left -= entry.count
            }
            try #require(left > 100_000)
            let guess = try Self.entry(in: log, by: identity.keys, byteCount: left - 1_000)
            return try log.insert(
                try Self.entry(in: log, by: identity.keys, byteCount: left - 1_000 + left - guess.count)
            )
        }
    }

    private static func entry(in log: AccountLog, by keys: DeviceIdentity, byteCount: Int) throws -> [UInt8] {
        var random = SystemRandom()
        let entry = AccountEntry(
            account: log.account,
            parents: log.announcedHeads,
            author: .device(keys.deviceID),
            nonce: random.randomBytes(AccountEntry.nonceByteCount),
            action: .unknown(tag: 99, bytes: random.randomBytes(byteCount))
        )
        let signature = keys.sign(entry.encoded, context: .accountEntry)
        return SignedAccountEntry(entry, signature: signature).encoded
    }
}
