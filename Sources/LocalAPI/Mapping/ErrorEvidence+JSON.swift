import KairanInterface
import Node
import Wire

extension ErrorEvidence {
    /// The members of a problem document that describe the records behind the problem.
    var members: [JSONMember] {
        switch self {
        case .conflict(let current, let ancestor):
            return [
                JSONMember("current", current?.json ?? .null), JSONMember("ancestor", ancestor?.json ?? .null),
            ]
        case .deletion(let record):
            // If every write to a record is ignored, no device is the author of its deletion.
            guard record.modifiedMilliseconds > 0 else { return [] }
            let time = RFC3339.text(milliseconds: Int64(clamping: record.modifiedMilliseconds))
            return [
                JSONMember("deleted_at", .string(time)), JSONMember("deleted_by", .string(record.modifiedBy.text)),
            ]
        }
    }
}
