import Identity
import Wire

/// The logs of other accounts as a node keeps them.
enum ContactsFile {
    static func encode(_ contacts: [AccountID: AccountLog]) -> [UInt8] {
        var writer = WireWriter()
        writer.writeCount(contacts.count)
        for (_, log) in contacts.sorted(by: { $0.key < $1.key }) {
            writer.writeBytes(AccountFile.encode(log.storedEntries))
        }
        return writer.bytes
    }

    /// Reads the file; unreadable parts are skipped, since peers have them.
    static func decode(_ bytes: [UInt8]) -> [AccountID: AccountLog] {
        var reader = WireReader(bytes)
        var contacts: [AccountID: AccountLog] = [:]
        // A missing file is empty.
        guard let count = try? reader.readCount(maximum: 1_024, itemByteCountMin: 1) else { return [:] }
        for _ in 0..<count {
            // Nothing after a damaged part can be found.
            guard let part = try? reader.readBytes(maximum: 1 << 20), let log = try? AccountFile.decode(part) else {
                break
            }
            contacts[log.account] = log
        }
        return contacts
    }
}
