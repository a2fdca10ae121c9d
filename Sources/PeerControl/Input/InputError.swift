/// Something that a command needs could not be read, or is not what it needs.
struct InputError: Error, Hashable {
    /// What is the matter, naming it.
    var detail: String
    /// What to do.
    var fix: String
    /// The stable code.
    var code = "input.unreadable"
    /// The kind of error, in a few words.
    var title = "The input cannot be used"
    /// The end of the process.
    var exitCode: Int32 = 1
}

extension InputError: CustomStringConvertible {
    /// The reason and the fix.
    var description: String { "\(detail) \(fix)" }
}
