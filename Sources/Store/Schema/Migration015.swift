/// Version 15: the state of a record beside its body is checked as well.
enum Migration015 {
    static let sql = """
        -- 16 bytes, see RecordRow.checksum; NULL = written before there were any.
        ALTER TABLE record ADD COLUMN state_checksum BLOB;
        """
}
