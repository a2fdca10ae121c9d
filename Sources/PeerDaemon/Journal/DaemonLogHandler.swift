import Logging
import Synchronization

/// The level of the log of this process, which a reload may change.
final class LogLevel: Sendable {
    private let stored: Mutex<Logger.Level>

    init(_ level: Logger.Level) {
        stored = Mutex(level)
    }

    var value: Logger.Level {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}

/// Writes to the journal where systemd reads this process's errors into it, and to standard error else, at the level that the process has
/// just now.
struct DaemonLogHandler: LogHandler {
    /// The writer to standard error; it also gets entries that the journal does not take.
    private var base: StreamLogHandler
    private let level: LogLevel
    private let journal: JournalSocket?

    init(label: String, level: LogLevel, journal: JournalSocket?) {
        base = StreamLogHandler.standardError(label: label)
        // The base lets everything through; the shared level decides about writing.
        base.logLevel = .trace
        self.level = level
        self.journal = journal
    }

    var logLevel: Logger.Level {
        get { level.value }
        set { level.value = newValue }
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        guard let journal else { return base.log(event: event) }
        var facts = base.metadata
        facts.merge(base.metadataProvider?.get() ?? [:]) { $1 }
        facts.merge(event.metadata ?? [:]) { $1 }
        let entry = JournalEntry(
            level: event.level,
            message: event.message.description,
            metadata: facts,
            source: event.source
        )
        if !journal.send(entry.encoded) { base.log(event: event) }
    }
}
