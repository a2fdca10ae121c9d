/// What the daemon says when it refuses or cannot do something: a problem document (RFC 9457).
public struct Problem: Sendable, Hashable, Codable {
    /// Identifies the kind of problem; ends with the code.
    public var type: String
    /// The kind of problem in a few words.
    public var title: String
    /// The HTTP status.
    public var status: Int
    /// The stable code, for programs; `docs/api/errors.md` lists all.
    public var code: String
    /// What was wrong this time.
    public var detail: String
    /// What to do next.
    public var fix: String
    /// Whether the same request may succeed later.
    public var isRetryable: Bool
    /// Of a refused version the record as it is now, unless it does not exist.
    public var current: Record?
    /// Of a refused version the state that the write named, where the daemon still holds it.
    public var ancestor: Record?

    enum CodingKeys: String, CodingKey {
        case type, title, status, code, detail, fix, current, ancestor
        case isRetryable = "retryable"
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
