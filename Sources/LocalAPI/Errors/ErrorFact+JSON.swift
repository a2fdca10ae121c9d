package import KairanInterface
package import Node
import Wire

extension ErrorFact {
    /// The member of a problem document: its name and form, as `docs/api/openapi.yaml` describes them.
    package var member: JSONMember {
        switch self {
        case .field(let path): JSONMember("field", .string(path))
        case .limit(let count): JSONMember("limit", .integer(Int64(count)))
        case .currentVersion(let version): JSONMember("current_version", .string(version))
        case .currentType(let type): JSONMember("current_type", .string(type))
        case .record(let name): JSONMember("record", .string(name))
        case .index(let index): JSONMember("index", .integer(Int64(index)))
        case .becauseOf(let index): JSONMember("because_of", .integer(Int64(index)))
        case .violations(let violations): JSONMember("violations", .array(violations.map(\.json)))
        case .differences(let differences): JSONMember("differences", .array(differences.map(\.json)))
        case .accounts(let ids): JSONMember("accounts", .array(ids.map { .string($0) }))
        case .zones(let ids): JSONMember("zones", .array(ids.map { .string($0) }))
        case .sides(let sides): JSONMember("sides", .array(sides.map { .string($0) }))
        case .account(let id): JSONMember("account", .string(id))
        case .kind(let kind): JSONMember("kind", .string(kind.rawValue))
        case .reason(let reason): JSONMember("reason", .string(reason))
        case .state(let state): JSONMember("state", .string(state))
        case .needed(let right): JSONMember("needed", .string(right))
        case .aspect(let aspect): JSONMember("aspect", .string(aspect))
        case .validFrom(let milliseconds): JSONMember("valid_from", Self.time(milliseconds))
        case .expiredAt(let milliseconds): JSONMember("expired_at", Self.time(milliseconds))
        case .position(let offset): JSONMember("position", .integer(Int64(offset)))
        case .found(let text): JSONMember("found", .string(text))
        case .expected(let text): JSONMember("expected", .string(text))
        case .line(let line): JSONMember("line", .integer(Int64(line)))
        case .column(let column): JSONMember("column", .integer(Int64(column)))
        case .offset(let offset): JSONMember("offset", .integer(Int64(offset)))
        case .allow(let methods): JSONMember("allow", .array(methods.map { .string($0) }))
        case .retryAfter(let milliseconds): JSONMember("retry_after_ms", .integer(Int64(clamping: milliseconds)))
        case .size(let byteCount): JSONMember("size", .integer(Int64(clamping: byteCount)))
        case .holders(let holders): JSONMember("holders", .array(holders.map(\.json)))
        case .promisedUntil(let milliseconds): JSONMember("promised_until", Self.time(milliseconds))
        }
    }

    private static func time(_ milliseconds: UInt64) -> JSONValue {
        .string(RFC3339.text(milliseconds: Int64(clamping: milliseconds)))
    }
}

extension AssetHolderView {
    /// The object.
    fileprivate var json: JSONValue {
        var members = [
            JSONMember("device", .string(device.text)), JSONMember("account", .string(account.text)),
            JSONMember("answer", .string(answer.rawValue)),
        ]
        if let until {
            members.append(JSONMember("until", .string(RFC3339.text(milliseconds: Int64(clamping: until)))))
        }
        return .object(members)
    }
}

extension SchemaViolationStatus {
    /// The object.
    fileprivate var json: JSONValue {
        ["field": field.map { .string($0) } ?? .null, "rule": .string(rule), "found": .string(found)]
    }
}
