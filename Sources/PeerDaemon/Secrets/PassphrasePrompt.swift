import Glibc
import Identity
import Sodium

/// Asks a person at the terminal for a passphrase, without showing it.
struct PassphrasePrompt {
    /// Whether it is a new one, which is typed twice.
    let isNew: Bool

    /// Reads the passphrase.
    /// - Throws: `DaemonConfiguration.Refusal` without a terminal, or if the typed text is unusable.
    func read() throws(DaemonConfiguration.Refusal) -> UnlockingSecret {
        guard isatty(STDIN_FILENO) == 1 else {
            throw DaemonConfiguration.Refusal(
                description: "ask-passphrase: standard input is not a terminal; name a file with --passphrase-file"
            )
        }
        let first = try ask(isNew ? "New passphrase for the keys: " : "Passphrase for the keys: ")
        guard isNew else { return first }
        guard try ask("The same passphrase again: ").isEqual(to: first) else {
            throw DaemonConfiguration.Refusal(
                description: "ask-passphrase: the two passphrases differ; nothing was changed"
            )
        }
        return first
    }

    private func ask(_ question: String) throws(DaemonConfiguration.Refusal) -> UnlockingSecret {
        let text = Array(question.utf8)
        _ = write(STDERR_FILENO, text, text.count)
        var settings = termios()
        let isKnown = tcgetattr(STDIN_FILENO, &settings) == 0
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        if isKnown { tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) }
        defer {
            if isKnown { tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) }
            _ = write(STDERR_FILENO, "\n", 1)
        }
        var bytes: [UInt8] = []
        // Memory that is moved while it grows leaves copies behind; a terminal's line has at most 4,096 bytes.
        bytes.reserveCapacity(4_096)
        var byte: UInt8 = 0
        while bytes.count < 4_096, Glibc.read(STDIN_FILENO, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
            bytes.append(byte)
        }
        byte = 0
        defer { ConstantTime.wipe(&bytes) }
        guard let secret = UnlockingSecret.passphrase(wiping: &bytes) else {
            throw DaemonConfiguration.Refusal(
                description: "ask-passphrase: a passphrase has at least \(UnlockingSecret.passphraseByteCountMin) bytes"
            )
        }
        return secret
    }
}
