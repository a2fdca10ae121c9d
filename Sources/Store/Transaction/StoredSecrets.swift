import Node
import Records
import Sync
import Synchronization

/// The form of secrets in the database: sealed, once the node has set a key.
///
/// The size of a secret shows whether it is sealed; zones' tag keys of earlier versions are not, until
/// ``SQLiteStore/protect(with:)`` has gone through them.
final class StoredSecrets: Sendable {
    /// The number of bytes in an unsealed secret.
    static let byteCount = StoredSecret.byteCount

    private let key = Mutex<StoreKey?>(nil)
    private let openKeys = Mutex(EpochKeyring())

    /// The keys of epochs that are open in this process; nothing of them is stored.
    ///
    /// A writing transaction sets them once it is committed, since records are counted again in the transaction that opens their
    /// key.
    var keyring: EpochKeyring {
        get { openKeys.withLock { $0 } }
        set { openKeys.withLock { $0 = newValue } }
    }

    /// Seals with this key from now on.
    func use(_ key: StoreKey) {
        self.key.withLock { $0 = key }
    }

    /// The stored form of a secret.
    /// - Parameters:
    ///   - secret: 32 bytes.
    ///   - place: The item that the secret belongs to, as bytes.
    /// - Returns: The sealed secret; the secret itself while the node has not set a key.
    func sealed(_ secret: [UInt8], for place: [UInt8]) -> [UInt8] {
        guard let key = key.withLock({ $0 }) else { return secret }
        return key.seal(secret, for: place)
    }

    /// The secret that was written.
    /// - Throws: `.corrupt` when it cannot be opened.
    func opened(_ stored: [UInt8], for place: [UInt8]) throws(StorageError) -> [UInt8] {
        guard stored.count != Self.byteCount else { return stored }
        guard let opened = key.withLock({ $0 })?.open(stored, for: place) else {
            throw StorageError(
                code: .corrupt,
                message:
                    "the store's secrets are sealed, and store.key is missing or belongs to another store; restore the"
                    + " file store.key of this one"
            )
        }
        return opened
    }
}
