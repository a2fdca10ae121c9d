/// Version 19: zones are found by their names.
enum Migration019 {
    static let sql = """
        -- The UTF-8 of the name in the genesis; NULL without a genesis.
        ALTER TABLE zone ADD COLUMN name BLOB;
        UPDATE zone SET name = zone_name(genesis) WHERE genesis IS NOT NULL;
        CREATE INDEX zone_by_name ON zone (name) WHERE name IS NOT NULL;
        """
}
