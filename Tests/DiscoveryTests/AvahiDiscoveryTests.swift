import Discovery
import Glibc
import Logging
import Node
import ServiceLifecycle
import TestSupport
import Testing

/// With a real avahi-daemon, where there is one: two drivers of this machine see each other through it.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct AvahiDiscoveryTests {
    /// Whether a daemon answers on its socket and there is an interface to use.
    static let isPossible: Bool = {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "/run/avahi-daemon/socket".utf8) }
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return false }
        defer { close(socket) }
        let code = withUnsafeBytes(of: &address) {
            connect(socket, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        return code == 0 && !InterfacePolicy().choice(of: NetworkInterface.all()).used.isEmpty
    }()

    private static let missing =
        "no avahi-daemon answers on /run/avahi-daemon/socket (scripts/with-avahi has one), or no interface is to be used"

    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func advertisement(_ prefix: String, value: UInt8 = 1, port: UInt16 = 7_001) -> ServiceAdvertisement {
        ServiceAdvertisement(
            instanceName: "\(prefix)-\(UInt64.random(in: 0 ... .max))",
            port: port,
            attributes: [
                ServiceAttribute(key: "v", value: [value]), ServiceAttribute(key: "tag", value: [0, 255, 61, 10]),
            ]
        )
    }

    /// Returns the first event that satisfies a condition.
    private func first(
        _ discovery: AvahiDiscovery,
        where isWanted: (DiscoveryEvent) -> Bool
    ) async throws -> DiscoveryEvent {
        for await event in discovery.events where isWanted(event) { return event }
        throw CancellationError()
    }

    private func isSighting(of name: String, value: UInt8) -> (DiscoveryEvent) -> Bool {
        { event in
            guard case .sighted(let sighting) = event, sighting.instanceName == name else { return false }
            return sighting.attributes.first?.value == [value]
        }
    }

    @Test func `two drivers find each other, see changes of the text, and a goodbye`() async throws {
        guard Self.isPossible else { return try cannotRun(Self.missing) }
        let (one, two) = (AvahiDiscovery(logger: logger), AvahiDiscovery(logger: logger))
        let own = advertisement("one")
        two.advertise(advertisement("two"))
        one.advertise(own)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await two.run() }
            let trigger = AsyncStream.makeStream(of: Void.self)
            group.addTask {
                // It ends by cancellation once the event has come, which takes the service off the air.
                await withThrowingTaskGroup(of: Void.self) { inner in
                    inner.addTask { try await one.run() }
                    for await _ in trigger.stream {}
                    inner.cancelAll()
                }
            }
            let seen = try await first(two, where: isSighting(of: own.instanceName, value: 1))
            guard case .sighted(let sighting) = seen else { return }
            #expect(sighting.address.port == 7_001)
            #expect(sighting.attributes == own.attributes)
            var changed = own
            changed.attributes[0].value = [2]
            one.advertise(changed)
            _ = try await first(two, where: isSighting(of: own.instanceName, value: 2))
            trigger.continuation.finish()
            _ = try await first(two) { event in
                guard case .withdrawn(let name, _) = event else { return false }
                return name == own.instanceName
            }
            group.cancelAll()
        }
    }

    @Test func `a name that is taken is replaced and the service found all the same`() async throws {
        guard Self.isPossible else { return try cannotRun(Self.missing) }
        let (one, two, three) = (
            AvahiDiscovery(logger: logger), AvahiDiscovery(logger: logger), AvahiDiscovery(logger: logger)
        )
        let same = advertisement("same")
        var second = same
        second.port = 7_002
        one.advertise(same)
        three.advertise(second)
        await withThrowingTaskGroup(of: Void.self) { group in
            for discovery in [one, two, three] { group.addTask { try await discovery.run() } }
            var ports: [UInt16: String] = [:]
            for await event in two.events {
                guard case .sighted(let sighting) = event, sighting.instanceName.hasPrefix(same.instanceName) else {
                    continue
                }
                ports[sighting.address.port] = sighting.instanceName
                if ports.count == 2 { break }
            }
            #expect(Set(ports.values).count == 2)
            group.cancelAll()
        }
    }

    @Test func `the events end with a graceful shutdown, with or without a daemon`() async throws {
        let discovery = AvahiDiscovery(logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [discovery], logger: logger)
        )
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            var events = discovery.events.makeAsyncIterator()
            // The first event tells whether there is a daemon.
            let first = await events.next()
            #expect(first != nil)
            await group.triggerGracefulShutdown()
            while await events.next() != nil {}
            try await tasks.waitForAll()
        }
    }
}
