public import FoundationEssentials

/// The daemon's answer when it refuses or cannot carry out a request: a problem document (RFC 9457).
public struct Problem: Sendable, Hashable, Codable {
    /// Identifies the kind of problem; ends with the code.
    public var type: String
    /// The kind of problem in a few words.
    public var title: String
    /// The HTTP status.
    public var status: Int
    /// The stable code, for programs; `docs/api/errors.md` lists all.
    public var code: String
    /// The details of this occurrence.
    public var detail: String
    /// The remedy.
    public var fix: String
    /// Whether the same request may succeed later.
    public var isRetryable: Bool
    /// For a refused version, the current record, unless it does not exist.
    public var current: Record?
    /// For a refused version, the state that the write named, if the daemon still holds it.
    public var ancestor: Record?
    /// The path of the value that is not allowed, such as `writes[3].name`.
    public var field: String?
    /// The maximum amount or number allowed.
    public var limit: Int?
    /// Of a refused version the one that the record has; empty when it does not exist.
    public var currentVersion: String?
    /// The name of the record that it is about.
    public var record: String?
    /// The index of the refused write in a batch, from 0.
    public var index: Int?
    /// The rules of its schema that a record breaks.
    public var violations: [SchemaViolation]?
    /// The differences for which a schema is refused.
    public var differences: [SchemaCheck.Difference]?
    /// The time to wait, in milliseconds.
    public var retryAfterMilliseconds: Int64?
    /// The number of bytes that exist where a range was requested.
    public var size: Int?
    /// For content that is not evicted, the devices that were asked, with their answers.
    public var holders: [AssetHolder]?
    /// For content that this device has promised to keep, the end of the promise.
    public var promisedUntil: Date?

    enum CodingKeys: String, CodingKey {
        case type, title, status, code, detail, fix, current, ancestor
        case field, limit, record, index, violations, differences, size, holders
        case isRetryable = "retryable"
        case currentVersion = "current_version"
        case retryAfterMilliseconds = "retry_after_ms"
        case promisedUntil = "promised_until"
    }

    /// Makes a problem.
    public init(
        type: String,
        title: String,
        status: Int,
        code: String,
        detail: String,
        fix: String,
        isRetryable: Bool,
        current: Record? = nil,
        ancestor: Record? = nil
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.code = code
        self.detail = detail
        self.fix = fix
        self.isRetryable = isRetryable
        self.current = current
        self.ancestor = ancestor
    }
}
