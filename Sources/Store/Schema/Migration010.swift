/// Version 10: with a device never a lower version of the channel is spoken than once was.
enum Migration010 {
    static let sql = """
        -- The highest version of the channel ever spoken with the device; 0 where that was not noted.
        ALTER TABLE peer ADD COLUMN channel INTEGER NOT NULL DEFAULT 0;
        """
}
