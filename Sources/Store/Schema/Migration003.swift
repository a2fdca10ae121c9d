/// Version 3: a log is written under a right, and a zone may be another account's.
enum Migration003 {
    static let sql = """
        -- The right that the log is written under, interned; NULL = that of the account which the genesis names.
        ALTER TABLE log ADD COLUMN "right" INTEGER;
        -- As whom the author speaks by that right; NULL = as the owner.
        ALTER TABLE log ADD COLUMN role BLOB;
        -- The same of this device's account in a zone.
        ALTER TABLE zone ADD COLUMN "right" INTEGER;
        ALTER TABLE zone ADD COLUMN role BLOB;
        """
}
