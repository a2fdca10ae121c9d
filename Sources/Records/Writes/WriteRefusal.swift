package import Wire

/// Why one write is refused; the others of its commit may stand.
package enum WriteRefusal: Error, Equatable, Sendable {
    /// The write names another version than the current one (nil: there is no such record).
    case versionMismatch(current: RecordVersion?)
    /// The record must not exist, but it does, at this version.
    case alreadyExists(current: RecordVersion)
    /// The record to delete does not exist.
    case notFound
    /// A new record has no type.
    case typeMissing
    /// The record has another type.
    case typeMismatch(current: String)
    /// The field holds something that cannot be added to in this way.
    case wrongKind(field: String)
    /// The write says two things about one field.
    case ambiguousField(String)
    /// A name, a field or a value cannot be encoded within the limits.
    case invalid(WireError)
    /// The record would take more bytes than the limit.
    case tooLarge(byteCount: Int, limit: Int)
    /// What is live of the record is sealed under a key that is not here.
    case notReadable
    /// The right under which the local device writes does not reach to the record.
    case notAllowed
    /// The zone's schema in force does not allow what the write makes of the record.
    case schemaViolation([SchemaViolation])
    /// More actors have written the record than a version vector may name.
    case tooManyActors
    /// The local author's log names as many others as a version vector may, and the record was written by one that it does not name.
    case logFull
    /// The batch has more writes or bytes than one may have.
    case batchTooLarge
    /// The deletion would take more records along than a batch may have writes.
    case tooManyFollowers(limit: Int)
    /// The deletion would take this record along, to which the right of the local device does not reach.
    case followerNotAllowed(String)
    /// Another write of the same atomic batch, at this index, was refused.
    case batchRefused(index: Int)
}
