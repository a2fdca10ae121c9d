import Records
import Sodium
import Wire

/// How a schema's parts are called in the account's book: names of containers, types and fields are as long as a record's name
/// may be, so what stands in the book is their hash.
struct SchemaName {
    /// 26 characters: 128 bits of the hash.
    static func of(_ name: String) -> String {
        String(Hash(digesting: .schemaHash, Array(name.utf8)).text.prefix(26))
    }
}
