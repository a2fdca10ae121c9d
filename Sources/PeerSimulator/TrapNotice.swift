import Glibc

/// Reports which seed ran when the program trapped: a trap is a finding, and must not lose its seed.
enum TrapNotice {
    private static let byteCountMax = 512
    // SAFETY: written by the one thread that runs simulations, before it runs one; read by the signal's handler in the
    // same thread.
    nonisolated(unsafe) private static let text = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCountMax)
    // SAFETY: as above.
    nonisolated(unsafe) private static var byteCount = 0

    /// Notes the history that is about to run.
    static func announce(_ replayLine: String) {
        if byteCount == 0 {
            for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT] {
                signal(number) { number in
                    _ = write(STDOUT_FILENO, TrapNotice.text, TrapNotice.byteCount)
                    signal(number, SIG_DFL)
                    raise(number)
                }
            }
        }
        let bytes = Array("the program trapped; run this seed again with\n\(replayLine)\n".utf8)
        byteCount = min(bytes.count, byteCountMax)
        for (index, byte) in bytes.prefix(byteCountMax).enumerated() { text[index] = byte }
    }
}
