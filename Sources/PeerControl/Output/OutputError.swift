import Glibc

/// Something that a command puts out could not be written, and is incomplete.
struct OutputError: Error, Hashable {
    /// The fault, naming it.
    var detail: String
    /// The next step.
    var fix: String

    /// Names a failure of the system.
    /// - Parameters:
    ///   - place: The output that could not be written, at the beginning of a sentence.
    ///   - number: The system's error number.
    ///   - fix: The remedy; `nil` for one that depends on the number alone.
    init(place: String, number: Int32, fix: String? = nil) {
        detail = "\(place) cannot be written: \(String(cString: strerror(number)))."
        self.fix = fix ?? Self.fix(number)
    }

    /// A failure of a file that was named.
    /// - Parameters:
    ///   - path: The file.
    ///   - number: The system's error number.
    ///   - fix: The way out.
    /// - Returns: ``InputError`` for a name that cannot be used, which is a mistake like any other, and ``OutputError`` else.
    static func failure(_ path: String, _ number: Int32, fix: String) -> any Error {
        let error = OutputError(place: path, number: number, fix: fix)
        switch number {
        case ENOENT, ENOTDIR, EEXIST, EISDIR, ELOOP, ENAMETOOLONG, EACCES, EPERM:
            return InputError(detail: error.detail, fix: error.fix)
        default: return error
        }
    }

    private static func fix(_ number: Int32) -> String {
        switch number {
        case ENOSPC, EDQUOT, EFBIG: "It is not complete. Make space, and run the command again."
        default: "It is not complete. Check where it is redirected to, and run the command again."
        }
    }
}

extension OutputError: CustomStringConvertible {
    /// The reason and the fix.
    var description: String { "\(detail) \(fix)" }
}
