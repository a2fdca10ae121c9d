/// Version 8: readers of one type learn that a record is not of it any more.
enum Migration008 {
    static let sql = """
        -- 1 when the record had another type here at some time. Nobody who reads by type began before this column.
        ALTER TABLE record ADD COLUMN retyped INTEGER NOT NULL DEFAULT 0;
        """
}
