import FoundationEssentials

/// The application's token, for users of `kairan` that act as an application.
enum TokenFile {
    /// Reads the file that `KAIRAN_TOKEN_FILE` names.
    /// - Parameter environment: The process's environment.
    /// - Returns: Its text without the white space around it; `nil` when the variable is not set.
    /// - Throws: `InputError` when the file cannot be read.
    static func token(_ environment: [String: String]) throws -> String? {
        guard let path = environment["KAIRAN_TOKEN_FILE"], !path.isEmpty else { return nil }
        do {
            let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
            return text.split(whereSeparator: \.isWhitespace).joined()
        } catch {
            throw InputError(
                detail: "The token file \(path) cannot be read.",
                fix: "Set KAIRAN_TOKEN_FILE to a file that you may read, or unset it."
            )
        }
    }
}
