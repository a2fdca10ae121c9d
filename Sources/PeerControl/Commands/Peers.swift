import ArgumentParser
import KairanClient

/// The other devices.
struct Peers: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the other devices and how they are reached.",
        discussion: """
            EXAMPLE:
              kairan peers

            CHANNEL: a post-quantum session stays closed to a quantum computer that gets a
            recording of it; a classical one does not, since the other device runs an
            older program.
            """
    )

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        try await session.show(.peers) { Self.text($0, style: session.style) }
    }

    /// The peers for people.
    static func text(_ peers: [Peer], style: Style) -> String {
        var table = Table([
            .text("NAME"), .text("STATE"), .text("ADDRESS"), .text("VIA"), .number("RTT"), .number("SKEW"),
            .text("CHANNEL"), .text("ROLE"), .text("DEVICE"),
        ])
        for peer in peers {
            table.add([
                Table.Cell(peer.name),
                state(peer.state),
                Table.Cell(peer.address ?? "–"),
                Table.Cell(peer.via?.replacing("_", with: " ") ?? "–"),
                Table.Cell(peer.roundTripMilliseconds.map(Words.duration) ?? "–"),
                Table.Cell(peer.skewMilliseconds.map { Words.duration(milliseconds: Double($0)) } ?? "–"),
                channel(peer.isPostQuantum),
                Table.Cell(peer.role.replacing("_", with: " ")),
                Table.Cell(Words.short(peer.device)),
            ])
        }
        return table.text(style: style, empty: "no other devices; `kairan pair offer` adds one")
    }

    private static func channel(_ isPostQuantum: Bool?) -> Table.Cell {
        switch isPostQuantum {
        case true?: Table.Cell("post-quantum")
        case false?: Table.Cell("classical") { $0.warning($1) }
        case nil: Table.Cell("–")
        }
    }

    private static func state(_ state: Peer.State) -> Table.Cell {
        switch state {
        case .connected: Table.Cell("connected") { $0.good($1) }
        case .reachable: Table.Cell("reachable") { $0.warning($1) }
        case .away: Table.Cell("away") { $0.dim($1) }
        }
    }
}
