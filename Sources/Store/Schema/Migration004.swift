/// Version 4: what was purged above a cut may count afterwards, and is then fetched again.
enum Migration004 {
    static let sql = """
        -- The first leaf that counts and was purged; NULL = there is none.
        ALTER TABLE log ADD COLUMN hole INTEGER;
        """
}
