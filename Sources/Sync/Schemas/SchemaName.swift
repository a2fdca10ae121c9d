import Records
import Sodium
import Wire

/// The names of a schema's parts in the account's book: names of containers, types and fields are as long as a
/// record's name may be, so the book has their hashes.
struct SchemaName {
    /// 26 characters: 128 bits of the hash.
    static func of(_ name: String) -> String {
        String(Hash(digesting: .schemaHash, Array(name.utf8)).text.prefix(26))
    }
}
