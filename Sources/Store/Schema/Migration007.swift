/// Version 7: the schema in force in a zone.
enum Migration007 {
    static let sql = """
        -- What was promoted in the zone and counts, encoded; NULL = the zone is in development.
        ALTER TABLE zone ADD COLUMN production BLOB;
        """
}
