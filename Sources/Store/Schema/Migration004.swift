/// Version 4: operations that were purged above a cut may become effective afterwards, and are then fetched again.
enum Migration004 {
    static let sql = """
        -- The first leaf that counts and was purged; NULL = there is none.
        ALTER TABLE log ADD COLUMN hole INTEGER;
        """
}
