/// Something that a command needs could not be read, or is not what it needs.
struct InputError: Error, Hashable {
    /// What is the matter, naming it.
    var detail: String
    /// What to do.
    var fix: String
}
