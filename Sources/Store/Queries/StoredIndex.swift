import Queries
import Sync
import Wire

/// A row of `field_index`.
struct StoredIndex {
    /// The row id, which its entries carry.
    var id: Int64
    /// The declared index.
    var index: FieldIndex
    /// Whether all records are in it.
    var isReady: Bool

    /// Reads the columns 0 to 5: `id, type, field, is_system, kind, state`.
    /// - Throws: `.corrupt` for a row that this program did not write.
    init(_ row: ResultRow) throws(StorageError) {
        id = row.integer(0)
        let field: QueryField
        if row.integer(3) == 0 {
            field = .named(row.text(2))
        } else {
            guard let system = SystemField(rawValue: row.text(2)) else { throw row.damage(2) }
            field = .system(system)
        }
        let kind: FieldIndex.Kind
        switch row.integer(4) {
        case 0: kind = .value
        case 1: kind = .text
        default: throw row.damage(4)
        }
        index = FieldIndex(type: row.text(1), field: field, kind: kind)
        isReady = row.integer(5) == 1
    }
}

extension FieldIndex {
    /// The columns `type, field, is_system, kind`.
    var columns: (type: String, field: String, isSystem: Bool, kind: Int64) {
        let number: Int64 = kind == .value ? 0 : 1
        switch field {
        case .field(let name): return (type.string, name.string, false, number)
        case .system(let system): return (type.string, system.rawValue, true, number)
        }
    }
}
