package import Identity
import Sync

/// The keys with which a device begins; they never change, so images share them instead of copying them.
package struct DiskKeys {
    /// The device's keys and certificate.
    package let device: FoundedAccount.Device
    /// The account's secrets.
    package let keyring: AccountKeyring
}

/// A copy of a disk at one moment, as a backup or a virtual machine's snapshot makes it.
package struct DiskImage {
    let database: MemoryStore?
    let files: [VirtualDisk.FileName: [UInt8]]
    let keys: DiskKeys
    let marks: UInt64
    let machineID: UInt64

    /// The parts of a disk that are rolled back.
    package enum Parts: String, CaseIterable, Sendable {
        /// The database alone.
        case database
        /// The database and the sentinel beside it, but not the file whose change time the sentinel knows.
        case databaseAndSentinel
        /// All files, written again, so that their change times differ.
        case files
        /// The whole disk with everything that distinguishes it from a copy; nothing on the machine shows the
        /// rollback.
        case disk
    }
}
