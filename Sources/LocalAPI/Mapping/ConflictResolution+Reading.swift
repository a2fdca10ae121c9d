import KairanInterface
import Node

extension ConflictResolution {
    /// Reads how a conflict is to end: `{"take": VERSION}` or `{"fields": {…}}`.
    init(interfaceJSON json: JSONValue) throws(NodeError) {
        let object = try RequestObject(json, allowing: ["take", "fields"])
        switch (try object.text("take"), object["fields"]) {
        case (let version?, nil): self = .take(version: version)
        case (nil, let fields?): self = .fields(try RecordDraft.fields(fields, at: "fields"))
        default: throw .invalid("", "either take or fields is expected")
        }
    }
}
