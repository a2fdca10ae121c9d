import ArgumentParser
import KairanClient

/// Prints all records.
struct Export: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print all records of a zone, one JSON object a line.",
        discussion: "EXAMPLE:\n  kairan export notes > notes.ndjson"
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: .zone, completion: .zones)
    var zone: String
    @Flag(name: .customLong("internal"), help: "Also the internal records, which no import accepts.")
    var showsInternal = false

    private static let bufferByteCount = 64 << 10

    func run(in session: Session) async throws {
        // Lines are written in portions: one call of the system a line would be most of the work.
        var buffer: [UInt8] = []
        var display = ProgressDisplay(session, besidesOutput: true)
        defer { display.end() }
        let whole = display.isShown ? Self.recordCount(try await session.client.zone(zone), showsInternal) : nil
        var count = 0
        let lines = try await session.client.exportLines(zone: zone, showsInternal: showsInternal)
        for try await line in lines where !line.isEmpty {
            count += 1
            display.show { Self.bar(count, of: whole, in: $0).text }
            buffer += line
            buffer.append(UInt8(ascii: "\n"))
            guard buffer.count >= Self.bufferByteCount else { continue }
            try session.terminal.print(raw: buffer)
            buffer.removeAll(keepingCapacity: true)
        }
        try session.terminal.print(raw: buffer)
    }

    private static func recordCount(_ zone: Zone, _ showsInternal: Bool) -> UInt64 {
        zone.records &+ (showsInternal ? zone.internalRecords : 0)
    }

    /// The progress of an export; records may come and go meanwhile.
    static func bar(_ count: Int, of whole: UInt64?, in seconds: Double) -> ProgressBar {
        ProgressBar(
            amount: "Written \(Words.count(count, "record", "records"))",
            count: count,
            share: whole.flatMap { $0 > 0 ? min(Double(count) / Double($0), 1) : nil },
            seconds: seconds
        )
    }
}
