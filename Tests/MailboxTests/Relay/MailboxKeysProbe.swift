import Records
import Sodium
import Wire

/// What a proof says of the key that it does not show.
enum MailboxKeysProbe {
    static func hash(of key: [UInt8]) -> Hash { Hash(digesting: .mailboxKeyHash, key) }
}
