/// Version 2: a log is written under a right.
enum Migration002 {
    static let sql = """
        -- The right that the log is written under, interned; NULL = that of the account which the genesis names.
        ALTER TABLE log ADD COLUMN "right" INTEGER REFERENCES identifier;
        """
}
