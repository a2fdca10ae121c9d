import KairanClient
import KairanInterface

/// The refusal of a request, with the content of the daemon's problem documents.
struct MemoryRefusal: Error {
    var status: Int
    var code: String
    var title: String
    var detail: String
    var fix: String
    /// Further members.
    var facts: [JSONMember] = []
    /// For a refused version, the records as they are shown.
    var versions: Versions?

    /// The present state of a record, and the one that a write named.
    struct Versions: Encodable {
        var current: Record?
        var ancestor: Record?
    }

    /// The problem document.
    /// - Returns: An object with all members.
    /// - Throws: As the encoding of a record.
    func json() throws -> JSONValue {
        .object(
            [
                JSONMember("type", .string("https://kairan.invalid/problems/\(code)")),
                JSONMember("title", .string(title)),
                JSONMember("status", .integer(Int64(status))),
                JSONMember("code", .string(code)),
                JSONMember("detail", .string(detail)),
                JSONMember("fix", .string(fix)),
                JSONMember("retryable", false),
            ] + facts + (try versions.flatMap { try JSONValue(encoding: $0).members } ?? [])
        )
    }

    func adding(_ facts: [JSONMember]) -> MemoryRefusal {
        var refusal = self
        refusal.facts += facts
        return refusal
    }
}

extension MemoryRefusal {
    static func unsupported(_ detail: String) -> MemoryRefusal {
        MemoryRefusal(
            status: 501,
            code: "double.unsupported",
            title: "The daemon in memory does not do this",
            detail: detail,
            fix: "Test this with a daemon."
        )
    }

    static func invalid(_ path: String, _ reason: String) -> MemoryRefusal {
        MemoryRefusal(
            status: 400,
            code: "invalid_argument",
            title: "A value is not allowed",
            detail: "\(path): \(reason).",
            fix: "Correct the value and send the request again.",
            facts: [JSONMember("field", .string(path))]
        )
    }

    static func zoneUnknown(_ reference: String) -> MemoryRefusal {
        MemoryRefusal(
            status: 404,
            code: "zone.unknown",
            title: "There is no such zone",
            detail: "There is no zone \"\(reference)\".",
            fix: "List the zones, or make one."
        )
    }

    static func zoneAmbiguous(_ reference: String, _ zones: [String]) -> MemoryRefusal {
        MemoryRefusal(
            status: 409,
            code: "zone.ambiguous",
            title: "Several zones have this name",
            detail: "\(zones.count) zones are named \"\(reference)\".",
            fix: "Name it by its id.",
            facts: [JSONMember("zones", .array(zones.map { .string($0) }))]
        )
    }

    static func zoneDeleted(_ reference: String, reason: String?) -> MemoryRefusal {
        MemoryRefusal(
            status: 410,
            code: "zone.deleted",
            title: "The zone was deleted",
            detail: "The zone \"\(reference)\" was deleted.",
            fix: "Drop your copy of it.",
            facts: [JSONMember("kind", "deleted")] + (reason.map { [JSONMember("reason", .string($0))] } ?? [])
        )
    }

    static func zoneExists(_ name: String, _ container: String) -> MemoryRefusal {
        MemoryRefusal(
            status: 409,
            code: "zone.exists",
            title: "The zone exists already",
            detail: "The container \(container) has a zone \"\(name)\".",
            fix: "Use it, or choose another name."
        )
    }

    static var zoneIsDefault: MemoryRefusal {
        MemoryRefusal(
            status: 409,
            code: "zone.is_default",
            title: "The zone is its container's default zone",
            detail: "A container's default zone can be neither shared nor deleted.",
            fix: "Create another zone for temporary records."
        )
    }

    static func recordUnknown(_ name: String) -> MemoryRefusal {
        MemoryRefusal(
            status: 404,
            code: "record.unknown",
            title: "There is no such record",
            detail: "The zone has no record \"\(name)\".",
            fix: "List the records."
        )
    }

    static func recordDeleted(_ record: MemoryRecord) -> MemoryRefusal {
        MemoryRefusal(
            status: 404,
            code: "record.deleted",
            title: "The record was deleted",
            detail: "\"\(record.name)\" was deleted.",
            fix: "Drop your copy of it; a write makes a new record of this name.",
            facts: [
                JSONMember("deleted_at", .string(RFC3339.text(milliseconds: record.modifiedMilliseconds))),
                JSONMember("deleted_by", .string(record.device)),
            ]
        )
    }

    /// A write that names another version than the present one.
    static func changed(_ name: String, current: MemoryRecord?, ancestor: MemoryRecord?) -> MemoryRefusal {
        MemoryRefusal(
            status: 409,
            code: "record.version_mismatch",
            title: "The record has changed",
            detail: "\"\(name)\" was changed by another writer.",
            fix: "Read it again, and write with its current version.",
            facts: [
                JSONMember("current_version", .string(current?.version ?? "")), JSONMember("record", .string(name)),
            ],
            versions: Versions(current: current?.shown, ancestor: ancestor?.shown)
        )
    }

    static func recordTooLarge(_ name: String, _ byteCount: Int) -> MemoryRefusal {
        MemoryRefusal(
            status: 413,
            code: "record.too_large",
            title: "The record is too large",
            detail: "\"\(name)\" would take \(byteCount) bytes; a record has at most \(MemoryRecord.byteCountMax).",
            fix: "Put large data into files and keep a reference."
        )
    }

    static func batchTooLarge(_ limit: Int) -> MemoryRefusal {
        MemoryRefusal(
            status: 413,
            code: "batch.too_large",
            title: "The request is about too much",
            detail: "A batch has 1 to \(limit) writes.",
            fix: "Split it.",
            facts: [JSONMember("limit", .integer(Int64(limit)))]
        )
    }

    static func badPredicate(_ detail: String) -> MemoryRefusal {
        MemoryRefusal(
            status: 400,
            code: "query.bad_predicate",
            title: "The condition cannot be read",
            detail: "where, \(detail).",
            fix: "Correct it there.",
            facts: [JSONMember("field", "where")]
        )
    }

    static func assetUnknown(_ detail: String) -> MemoryRefusal {
        MemoryRefusal(
            status: 404,
            code: "asset.unknown",
            title: "There is no such asset",
            detail: detail,
            fix: "Upload the content to this zone, and name it by the id of the answer."
        )
    }

    static var linkPath: MemoryRefusal {
        MemoryRefusal(
            status: 400,
            code: "link.path",
            title: "The path is beneath no root",
            detail: "This daemon has no folders whose files can be linked.",
            fix: "Name them in the setting linked-roots of a daemon."
        )
    }

    static var assetNotSafe: MemoryRefusal {
        MemoryRefusal(
            status: 409,
            code: "asset.not_safe",
            title: "Too few other devices keep the content",
            detail: "No device that could promise to keep the content is connected; nothing was dropped.",
            fix: "Let this device meet others that have the content.",
            facts: [JSONMember("holders", .array([]))]
        )
    }

    static func rangeUnsatisfiable(_ size: Int) -> MemoryRefusal {
        MemoryRefusal(
            status: 416,
            code: "request.range_unsatisfiable",
            title: "There are no such bytes",
            detail: "The content has \(size) bytes.",
            fix: "Ask for bytes below its size.",
            facts: [JSONMember("size", .integer(Int64(size)))]
        )
    }

    static var badCursor: MemoryRefusal {
        MemoryRefusal(
            status: 400,
            code: "query.bad_cursor",
            title: "The cursor is not valid",
            detail: "The text is not a cursor of this query.",
            fix: "Use the `cursor` of the previous page, or begin without one."
        )
    }

    static var notIndexed: MemoryRefusal {
        MemoryRefusal(
            status: 409,
            code: "query.not_indexed",
            title: "There is no index for this search",
            detail: "A search for words needs an index, and the daemon in memory has none.",
            fix: "Test this with a daemon."
        )
    }

    static var tokenExpired: MemoryRefusal {
        MemoryRefusal(
            status: 410,
            code: "token.expired",
            title: "The change token is no longer valid",
            detail: "The change token is from another store, or from another selection.",
            fix: "Drop the data that was read, read from the beginning without a token, and continue with the new one."
        )
    }
}

extension MemoryRefusal: CustomStringConvertible {
    /// Code, detail and fix in one line.
    var description: String { "\(code): \(detail) \(fix)" }
}
