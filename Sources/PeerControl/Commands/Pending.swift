import ArgumentParser
import KairanClient

/// Shows why zones are not synchronised.
struct Pending: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the zones that are not in step with other devices, and the reasons.",
        discussion: """
            OWN counts writes of this device that the other has not acknowledged, THERE all operations that it lacks as far as is \
            known, HERE the operations that it has and this device lacks.

            EXAMPLE:
              kairan pending notes
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: .zoneOrAll, completion: .zones)
    var zone: String?

    func run(in session: Session) async throws {
        let document = try await session.client.document(.pending(zone: zone))
        let style = await session.styleWithNames()
        try session.show(document: document) { Self.text($0, style: style) }
    }

    /// Pending work for people.
    static func text(_ work: PendingWork, style: Style) -> String {
        var table = Table([
            .text("ZONE"), .text("WITH"), .number("OWN"), .number("THERE"), .number("HERE"), .number("AGE"),
            .text("REASON"), .text("SINCE"),
        ])
        for entry in work.pending {
            table.add([
                Table.Cell(style.zone(entry.zone, called: entry.zoneName)),
                Table.Cell(style.device(entry.device, called: entry.deviceName)),
                Table.Cell("\(entry.count)"), Table.Cell("\(entry.behind)"), Table.Cell("\(entry.missing)"),
                Table.Cell(entry.ageMilliseconds.map { Words.duration(milliseconds: Double($0)) } ?? "–"),
                Table.Cell(entry.reason.text) {
                    entry.reason == .syncing ? $0.good($1) : $0.warning($1)
                },
                Table.Cell(entry.since.map(style.time) ?? "–"),
            ])
        }
        let held = work.heldBack.map { held in
            let needs = held.waitsFor.map { missing in
                let log = missing.device.map(style.device) ?? style.id(missing.log)
                return "\(missing.needed - min(missing.held, missing.needed)) of \(log)"
            }
            let what =
                needs.isEmpty
                ? "operations that were purged here or that their author no longer has" : needs.joined(separator: ", ")
            return "\(Words.count(held.count, "operation", "operations")) of \(style.device(held.device)) in zone "
                + "\(style.zone(held.zone)) \(held.count == 1 ? "waits" : "wait") for \(what)."
        }
        let rest = held.isEmpty ? "" : "\n\n" + held.joined(separator: "\n")
        return table.text(style: style, empty: "everything is in step") + rest
    }
}
