package import Logging
package import Node
internal import ServiceLifecycle

/// Finds other nodes on the local network, and lets them find this one: DNS-SD through the machine's Avahi.
///
/// It reports unverified claims from the network, of which it only bounds number and size. Avahi and D-Bus may be
/// absent, crash and come back; the driver logs that and continues as soon as they are there.
package final class AvahiDiscovery: DiscoveryPort, Service {
    /// The number of events that wait for a slow reader; the oldest are dropped first.
    package static let eventCountMax = 512

    /// The events, in order; ends with `run()`.
    package let events: AsyncStream<DiscoveryEvent>
    private let continuation: AsyncStream<DiscoveryEvent>.Continuation
    private let policy: InterfacePolicy
    private let thread = AvahiThread()
    private let logger: Logger

    /// A driver that does nothing before `run()`.
    /// - Parameters:
    ///   - policy: The choice of interfaces.
    ///   - logger: The log for facts that operators may want to know.
    package init(policy: InterfacePolicy = InterfacePolicy(), logger: Logger) {
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.eventCountMax))
        self.policy = policy
        self.logger = logger
    }

    /// Publishes a service instead of the one published before, also when `run()` has not begun yet.
    package func advertise(_ advertisement: ServiceAdvertisement) {
        thread.advertise(advertisement)
    }

    /// Publishes and browses until cancelled or shut down gracefully, then takes the service off the air.
    package func run() async throws {
        let (policy, continuation, logger) = (policy, continuation, logger)
        defer { continuation.finish() }
        await withTaskCancellationOrGracefulShutdownHandler {
            await thread.run { connect in
                DiscoveryStation(
                    DiscoveryStation.Surroundings(
                        policy: policy,
                        interfaces: NetworkInterface.all,
                        connect: connect,
                        report: { continuation.yield($0) },
                        suffix: { String(UInt32.random(in: .min ... .max), radix: 16) },
                        logger: logger
                    )
                )
            }
        } onCancelOrGracefulShutdown: {
            self.thread.stop()
        }
    }
}
