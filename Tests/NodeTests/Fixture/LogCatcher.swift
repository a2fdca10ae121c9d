import Logging
import Synchronization

/// Keeps everything that is logged, with its metadata, as one text.
struct LogCatcher: LogHandler {
    private final class Lines: Sendable {
        let text = Mutex("")
    }

    private let lines = Lines()
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    /// All that was logged so far.
    var text: String { lines.text.withLock { $0 } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        lines.text.withLock { $0 += "\(event.level) \(event.message) \(all)\n" }
    }
}
