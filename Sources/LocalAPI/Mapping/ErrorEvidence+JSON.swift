import KairanClient
import Node
import Wire

extension ErrorEvidence {
    /// What a problem document says of the records behind it.
    var members: [JSONMember] {
        switch self {
        case .conflict(let current, let ancestor):
            return [
                JSONMember("current", current?.json ?? .null), JSONMember("ancestor", ancestor?.json ?? .null),
            ]
        case .deletion(let record):
            // Where nothing of a record counts any more, nobody in particular has deleted it.
            guard record.modifiedMilliseconds > 0 else { return [] }
            let time = RFC3339.text(milliseconds: Int64(clamping: record.modifiedMilliseconds))
            return [
                JSONMember("deleted_at", .string(time)), JSONMember("deleted_by", .string(record.modifiedBy.text)),
            ]
        }
    }
}
