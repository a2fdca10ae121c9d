import LocalAPI
import Logging
import Node
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Reads the configuration again at SIGHUP: the log level, further peers and the files of applications take effect at once,
/// the rest at the next start.
///
/// A configuration that is wrong changes nothing; the file of an application that is wrong disables the application.
struct Reload: Service {
    /// Reads all layers again.
    let read: @Sendable () throws -> DaemonConfiguration
    let node: Node
    let level: LogLevel
    let policy: PolicyInForce
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

    private var wasForOthers: Bool { current.showsStatusToOthers || !current.applications.isEmpty }

    private func take(_ configuration: DaemonConfiguration) async {
        level.value = configuration.logLevel
        await node.add(peers: configuration.peers)
        var policy = policy.current
        policy.applications = configuration.applications.bindings
        policy.disabled = configuration.applications.disabled
        self.policy.replace(policy)
        node.warnings.note(disabledApplications: configuration.applications.mistakes.map(\.notice))
        var rest = configuration
        (rest.logLevel, rest.peers, rest.applications) = (current.logLevel, current.peers, current.applications)
        let waits: [String?] = [
            rest == current ? nil : "other settings have changed",
            // The socket has its mode since the start.
            policy.isForOthers && !wasForOthers ? "the socket does not admit other users yet" : nil,
        ]
        let reasons = waits.compactMap(\.self)
        logger.notice(
            "configuration read again",
            metadata: ["needs.restart": "\(reasons.isEmpty ? "nothing" : reasons.joined(separator: "; "))"]
        )
    }
}
