import Glibc

/// The reason why a file or a directory cannot be read, in the system's words: Foundation's words are the layout of a
/// type.
enum ReadingTrouble {
    /// Tries once more, and returns the system's error.
    /// - Parameter path: The path that could not be read a moment ago.
    /// - Returns: A part of a sentence.
    static func words(_ path: String) -> String {
        // A pipe without a writer must not hold the start up.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return reason(errno) }
        defer { close(descriptor) }
        var byte: UInt8 = 0
        return read(descriptor, &byte, 1) < 0 ? reason(errno) : "it changed while it was read"
    }

    private static func reason(_ number: Int32) -> String { String(cString: strerror(number)).lowercased() }
}
