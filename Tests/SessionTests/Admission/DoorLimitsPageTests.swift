import Foundation
import Session
import Testing

/// The table of `docs/protocol/channel.md` §7 is the table of the code.
@Suite struct DoorLimitsPageTests {
    private static let page = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("docs/protocol/channel.md")

    private static func size(_ count: Int) -> String {
        guard count >= 1_024 else { return "\(count) bytes" }
        guard count >= 1 << 20 else { return "\(count >> 10) KiB" }
        let rest = count % (1 << 20)
        return "\(count >> 20) MiB" + (rest == 0 ? "" : " \(rest >> 10) KiB")
    }

    @Test func `the page lists the limits of each state as the code has them`() throws {
        let lines = try String(contentsOf: Self.page, encoding: .utf8).split(separator: "\n")
        let limits = DoorLimits()
        var found: Set<DoorRoom> = []
        for line in lines where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 7, let room = DoorRoom(rawValue: cells[0].filter { $0 != "`" }) else { continue }
            found.insert(room)
            let row = limits[room: room]
            #expect(cells[2] == "\(row.count)", "\(room)")
            #expect(cells[3] == "\(row.countPerAddress)", "\(room)")
            #expect(cells[4] == row.milliseconds.map { "\($0 / 1_000) s" } ?? "age", "\(room)")
            let dropped = row.dropsLongerMessages ? ", longer ones are dropped" : ""
            #expect(cells[5] == Self.size(row.messageByteCountMax) + dropped, "\(room)")
        }
        #expect(found == Set(DoorRoom.allCases))
        let text = lines.joined(separator: " ")
        #expect(text.contains("\(limits.burst) at once, one more every \(limits.refillMilliseconds) ms"))
        #expect(text.contains("\(limits.addressCountMax / 1_000),\(limits.addressCountMax % 1_000) addresses"))
    }
}
