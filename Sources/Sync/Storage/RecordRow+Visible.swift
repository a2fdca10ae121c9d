package import Records

extension RecordRow {
    /// The size of the record where space is counted: the bytes of its name and its encoded fields; 0 when deleted.
    package var visibleByteCount: Int { isDeleted ? 0 : name.utf8.count + body.count }
}
