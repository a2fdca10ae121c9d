import ArgumentParser
import FoundationEssentials
import KairanClient

/// Asks a device whether it is there.
struct Ping: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ping a device, and measure the time until it answers.",
        discussion: """
            Pings use the session that carries records, not ICMP. Ends with 0 if the last ping was answered, and with 1 otherwise.

            EXAMPLES:
              kairan ping desk
              kairan ping desk --count 1 --json
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: .device, completion: .devices)
    var peer: String
    @Option(name: .shortAndLong, help: ArgumentHelp("The number of pings.", valueName: "number"))
    var count = 4

    /// The devices that a ping may reach.
    static let device = ChosenID(noun: "device", list: "kairan peers")

    /// The time between two pings.
    private static let interval: Duration = .seconds(1)

    func validate() throws {
        guard (1...1_000_000).contains(count) else { throw ValidationError("--count is 1 to 1000000.") }
    }

    func run(in session: Session) async throws {
        var isThere = false
        for round in 0..<count {
            if round > 0 { try await Task.sleep(for: Self.interval) }
            let peers: [Peer] = try DaemonClient.decode(try await session.client.document(.peers(pinging: true)))
            let found = try Self.device.choose(peer, among: peers, id: \.device, name: \.name)
            isThere = Self.hasAnswered(found)
            try session.show(Self.json(found), Self.text(found, style: session.style))
        }
        if !isThere { throw ExitCode(1) }
    }

    /// Whether it has answered the ping that it was just sent.
    static func hasAnswered(_ peer: Peer) -> Bool {
        peer.state == .connected && peer.silenceMilliseconds.map { $0 < 1_000 } ?? false
    }

    /// An answer for people.
    static func text(_ peer: Peer, style: Style) -> String {
        let name = peer.name.isEmpty ? Words.short(peer.device) : peer.name
        let place = peer.address.map { " (\($0))" } ?? ""
        switch peer.state {
        case .connected where hasAnswered(peer):
            let time = peer.roundTripMilliseconds.map(Words.duration) ?? "some time"
            return "\(name)\(place) answers after \(style.good(time))"
        case .connected:
            let silence = peer.silenceMilliseconds.map { Words.duration(milliseconds: Double($0)) } ?? "some time"
            return "\(name)\(place) does not answer; it was heard \(style.warning(silence)) ago"
        case .reachable: return "\(name)\(place) is in sight, and \(style.warning("not connected yet"))"
        case .unreachable:
            let trouble = peer.trouble.map { ": \($0.error). \($0.fix)" } ?? ""
            return "\(name)\(place) is in sight and \(style.warning("not reached"))\(trouble)"
        case .away: return "\(name) is \(style.warning("away")): no address of it is known"
        }
    }

    private static func json(_ peer: Peer) -> JSONValue {
        [
            "device": .string(peer.device), "name": .string(peer.name), "state": .string(peer.state.rawValue),
            "address": peer.address.map(JSONValue.string) ?? .null, "answered": .bool(hasAnswered(peer)),
            "rtt_ms": peer.roundTripMilliseconds.map(JSONValue.number) ?? .null,
            "silence_ms": peer.silenceMilliseconds.map { .integer(Int64(clamping: $0)) } ?? .null,
        ]
    }
}
