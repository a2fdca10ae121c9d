import Logging
import Node
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Reads the configuration again at SIGHUP: the log level and further peers take effect at once, the rest at the next
/// start.
///
/// A configuration that is wrong changes nothing.
struct Reload: Service {
    /// Reads all layers anew.
    let read: @Sendable () throws -> DaemonConfiguration
    let node: Node
    let level: LogLevel
    let current: DaemonConfiguration
    let logger: Logger

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        await cancelWhenGracefulShutdown {
            for await _ in signals {
                do {
                    await take(try read())
                } catch {
                    logger.error("configuration not read again", metadata: ["error": "\(error)"])
                }
            }
        }
    }

    private func take(_ configuration: DaemonConfiguration) async {
        level.value = configuration.logLevel
        await node.add(peers: configuration.peers)
        var rest = configuration
        (rest.logLevel, rest.peers) = (current.logLevel, current.peers)
        logger.notice(
            "configuration read again",
            metadata: ["needs.restart": "\(rest == current ? "nothing" : "other settings have changed")"]
        )
    }
}

/// The log level of the whole process, which may change while it runs.
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

/// Writes to standard error, at the level that the process has just now.
struct AdjustableLogHandler: LogHandler {
    private var base: StreamLogHandler
    private let level: LogLevel

    init(label: String, level: LogLevel) {
        base = StreamLogHandler.standardError(label: label)
        // The base lets everything through; what is written is decided by the shared level.
        base.logLevel = .trace
        self.level = level
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
        base.log(event: event)
    }
}
