import Identity
import Sodium
import TestSupport
import Wire

extension AccountLog {
    /// Makes the log long, with entries of a later version's kind.
    /// - Parameters:
    ///   - byteCount: How many bytes its entries have together at least.
    ///   - keys: An active device of the account.
    ///   - random: The source of nonces and content.
    /// - Throws: `AccountError`.
    mutating func lengthen(to byteCount: Int, by keys: DeviceIdentity, using random: inout SeededGenerator) throws {
        while entries.reduce(0, { $0 + $1.count }) < byteCount {
            let entry = AccountEntry(
                account: account,
                parents: announcedHeads,
                author: .device(keys.deviceID),
                nonce: random.bytes(AccountEntry.nonceByteCount),
                action: .unknown(tag: 99, bytes: random.bytes(100_000))
            )
            let signature = keys.sign(entry.encoded, context: .accountEntry)
            try insert(SignedAccountEntry(entry, signature: signature).encoded)
        }
    }
}
