/// An error for input of a command that cannot be read or is unsuitable.
struct InputError: Error, Hashable {
    /// The problem, with the name of the input.
    var detail: String
    /// The remedy.
    var fix: String
    /// The stable code.
    var code = "input.unreadable"
    /// The kind of error, in a few words.
    var title = "The input cannot be used"
    /// The exit code of the process.
    var exitCode: Int32 = 1
}

extension InputError: CustomStringConvertible {
    /// The reason and the fix.
    var description: String { "\(detail) \(fix)" }
}
