import Records
import Sodium
import Wire

/// The hash that a proof shows in place of a key.
enum MailboxKeysProbe {
    static func hash(of key: [UInt8]) -> Hash { Hash(digesting: .mailboxKeyHash, key) }
}
