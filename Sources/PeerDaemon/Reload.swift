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
