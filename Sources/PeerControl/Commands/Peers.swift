import ArgumentParser
import KairanClient

/// The other devices.
struct Peers: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the other devices and how they are reached.",
        discussion: """
            EXAMPLE:
              kairan peers

            STATE: connected; reachable, in sight and about to be connected; unreachable, in
            sight and not reached, with the cause and the fix below the table; away, not in
            sight. Each connected device is pinged before the answer: one that does not answer
            is shown with the time since it was last heard.

            CHANNEL: a recording of a post-quantum session cannot be read with a quantum
            computer; one of a classical session could be. A session is classical if the
            other device runs an older program.

            With --full the column VERSION shows the version of the program on each connected
            device, or – where an older program does not report it.
            """
    )

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        try await session.show(.peers) { Self.text($0, style: session.style) }
    }

    /// The peers for people.
    static func text(_ peers: [Peer], style: Style) -> String {
        let showsVersions = style.showsWholeIDs
        var table = Table(
            [
                .text("NAME"), .text("STATE"), .text("ADDRESS"), .text("VIA"), .number("RTT"), .number("SKEW"),
                .text("CHANNEL"),
            ] + (showsVersions ? [.text("VERSION")] : []) + [.text("ROLE"), .text("DEVICE")]
        )
        for peer in peers {
            let version = Table.Cell(peer.version ?? "–")
            let cells = [
                Table.Cell(peer.name),
                state(peer),
                Table.Cell(peer.address ?? "–"),
                Table.Cell(peer.via?.text ?? "–"),
                Table.Cell(peer.roundTripMilliseconds.map(Words.duration) ?? "–"),
                Table.Cell(peer.skewMilliseconds.map { Words.duration(milliseconds: Double($0)) } ?? "–"),
                channel(peer.isPostQuantum),
            ]
            let end = [
                Table.Cell(peer.role.text),
                Table.Cell(style.id(peer.device)),
            ]
            table.add(cells + (showsVersions ? [version] : []) + end)
        }
        let list = table.text(style: style, empty: "no other devices; `kairan pair offer` adds one")
        let troubles = peers.compactMap { peer in
            peer.trouble.map { "\(peer.name), not reached since \(style.time($0.since)): \($0.error). \($0.fix)" }
        }
        return ([list] + troubles).joined(separator: "\n")
    }

    private static func channel(_ isPostQuantum: Bool?) -> Table.Cell {
        switch isPostQuantum {
        case true?: Table.Cell("post-quantum")
        case false?: Table.Cell("classical") { $0.warning($1) }
        case nil: Table.Cell("–")
        }
    }

    /// The time in milliseconds after which a session without data is shown as silent: a reachable peer has answered
    /// by then.
    private static let silenceMilliseconds: UInt64 = 5_000

    private static func state(_ peer: Peer) -> Table.Cell {
        switch peer.state {
        case .connected:
            if let silence = peer.silenceMilliseconds, silence >= silenceMilliseconds {
                Table.Cell("silent for \(silence / 1_000) s") { $0.warning($1) }
            } else {
                Table.Cell("connected") { $0.good($1) }
            }
        case .reachable: Table.Cell("reachable") { $0.warning($1) }
        case .unreachable: Table.Cell("unreachable") { $0.warning($1) }
        case .away: Table.Cell("away") { $0.dim($1) }
        }
    }
}
