/// Version 9: the tag keys of zones are sealed.
///
/// Only the number changes here, so that an earlier program does not take a sealed key for a damaged one: the key is
/// only known later, and `SQLiteTransaction.sealTagKeys` does the rest.
enum Migration009 {
    static let sql = "SELECT 1"
}
