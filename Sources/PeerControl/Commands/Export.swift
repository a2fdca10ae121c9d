import ArgumentParser
import KairanClient

/// Prints all records.
struct Export: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print all records of a zone, one JSON object a line.",
        discussion: "EXAMPLE:\n  kairan export notes > notes.ndjson"
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The zone's id or unique name.", completion: .zones)
    var zone: String
    @Flag(name: .customLong("internal"), help: "Also what daemons write by themselves, which no import takes.")
    var showsInternal = false

    private static let bufferByteCount = 64 << 10

    func run(in session: Session) async throws {
        // Lines are written in portions: one call of the system a line would be most of the work.
        var buffer: [UInt8] = []
        let lines = try await session.client.exportLines(zone: zone, showsInternal: showsInternal)
        for try await line in lines where !line.isEmpty {
            buffer += line
            buffer.append(UInt8(ascii: "\n"))
            guard buffer.count >= Self.bufferByteCount else { continue }
            try session.terminal.print(raw: buffer)
            buffer.removeAll(keepingCapacity: true)
        }
        try session.terminal.print(raw: buffer)
    }
}
