/// A line of an import that was refused; the others are not affected.
public struct ImportFailure: Sendable, Hashable, Codable {
    /// Its number, from 1.
    public var line: Int
    /// Why: a code of the error table.
    public var code: String
    /// Why, for people.
    public var detail: String

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(line: Int, code: String, detail: String) {
        (self.line, self.code, self.detail) = (line, code, detail)
    }

    enum CodingKeys: String, CodingKey {
        case line, code, detail
    }
}
