import Glibc

/// A test cannot run on this machine, although everything has to run.
package struct CannotRun: Error, CustomStringConvertible {
    /// The sentence for the report: the reason, and why it is a failure.
    package let description: String
}

/// Ends a test that needs something that this machine lacks: a program, a right, a file.
///
/// With `STRICT` in the environment, which CI sets, the test fails. Elsewhere it passes, and standard error says that it did not run. It is
/// the only way in which a test may pass without having run.
///
///     guard geteuid() == 0 else { return try cannotRun("only root can become another user") }
/// - Parameters:
///   - reason: The thing that is missing, and how it gets here; a sentence without its full stop.
///   - isStrict: Whether everything has to run.
///   - tell: Writes a line for people.
/// - Throws: ``CannotRun`` where everything has to run.
package func cannotRun(
    _ reason: String,
    isStrict: Bool = getenv("STRICT").map { $0.pointee != 0 } ?? false,
    tell: (String) -> Void = { text in
        _ = Array(text.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
) throws(CannotRun) {
    tell("NOT RUN: \(reason).\n")
    if isStrict { throw CannotRun(description: "STRICT is set, and this test cannot run: \(reason).") }
}
