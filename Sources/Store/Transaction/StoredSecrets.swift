import Node
import Records
import Sync
import Synchronization

/// How secrets lie in the database: sealed, once the node has said under which key.
///
/// A zone's tag key is the only one. It is told by its size whether it is sealed; those of earlier versions are not, until
/// ``SQLiteStore/protect(with:)`` has gone through them.
final class StoredSecrets: Sendable {
    /// How many bytes a tag key has when it is not sealed.
    static let tagKeyByteCount = 32

    private let key = Mutex<StoreKey?>(nil)
    private let openKeys = Mutex(EpochKeyring())

    /// The keys of epochs that are open in this process; nothing of them is stored.
    ///
    /// Only a writing transaction sets it, of which there is one at a time.
    var keyring: EpochKeyring {
        get { openKeys.withLock { $0 } }
        set { openKeys.withLock { $0 = newValue } }
    }

    /// Seals with this key from now on.
    func use(_ key: StoreKey) {
        self.key.withLock { $0 = key }
    }

    /// What is written for a zone's tag key.
    func sealed(tagKey: [UInt8], of zone: [UInt8]) -> [UInt8] {
        guard let key = key.withLock({ $0 }) else { return tagKey }
        return key.seal(tagKey, for: zone)
    }

    /// The tag key that was written for a zone.
    /// - Throws: `.corrupt` when it cannot be opened.
    func tagKey(_ stored: [UInt8], of zone: [UInt8]) throws(StorageError) -> [UInt8] {
        guard stored.count != Self.tagKeyByteCount else { return stored }
        guard let opened = key.withLock({ $0 })?.open(stored, for: zone) else {
            throw StorageError(
                code: .corrupt,
                message:
                    "zones' keys are sealed, and store.key is missing or belongs to another store; restore the file"
                    + " store.key of this one"
            )
        }
        return opened
    }
}
