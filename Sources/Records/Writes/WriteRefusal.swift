package import Wire

/// The reason why one write is refused; the others of its commit may stand.
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
    /// The write changes one field in two ways.
    case ambiguousField(String)
    /// A name, a field or a value cannot be encoded within the limits.
    case invalid(WireError)
    /// The record would take more bytes than the limit.
    case tooLarge(byteCount: Int, limit: Int)
    /// The live operations of the record are sealed under a key that is not here.
    case notReadable
    /// The right under which the local device writes does not reach to the record.
    case notAllowed
    /// The zone's schema in force does not allow the record that the write makes.
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

extension WriteRefusal: CustomStringConvertible {
    /// The reason, for logs and as a part of a sentence; no value.
    package var description: String {
        switch self {
        case .versionMismatch(let current): "the record has another version: \(current?.text ?? "none")"
        case .alreadyExists(let current): "the record exists, at version \(current)"
        case .notFound: "there is no such record"
        case .typeMissing: "a new record needs a type"
        case .typeMismatch(let current): "the record has the type “\(current)”"
        case .wrongKind(let field): "the field “\(field)” holds another kind of value"
        case .ambiguousField(let field): "the write has two changes of the field “\(field)”"
        case .invalid(let error): "the record cannot be stored: \(error)"
        case .tooLarge(let byteCount, let limit): "the record would take \(byteCount) bytes, and has at most \(limit)"
        case .notReadable: "the record is sealed under a key that is not here"
        case .notAllowed: "the right of this device does not cover the record"
        case .schemaViolation(let violations):
            "the schema does not allow it: \(violations.map(\.description).joined(separator: ", "))"
        case .tooManyActors: "the record was written by the maximum number of stores that it can name"
        case .logFull: "this store's log names the maximum number of other logs"
        case .batchTooLarge: "the batch has more writes or bytes than one may have"
        case .tooManyFollowers(let limit):
            "more records would be deleted with it than the \(limit) that a batch may write"
        case .followerNotAllowed(let name):
            "“\(name)” would be deleted with it, which the right of this device does not cover"
        case .batchRefused(let index): "write \(index) of the same batch was refused"
        }
    }
}
