import Records
import Sync
import Wire

// Laws that hold after a lie, in addition to those that hold always.
extension History {
    /// The number of messages a minute that two idle nodes with a session may exchange.
    ///
    /// These are six pings with their answers, a comparison, and requests for operations that no node has.
    private static let quietMessagesPerMinute = 40

    /// Requires that no node continues to ask and answer because of a lie.
    func requireQuiet() throws {
        let before = simulation.statistics.messages
        try wait(300_000)
        let count = simulation.statistics.messages - before
        let ends = nodes.compactMap(\.process).reduce(0) { $0 + $1.sessionDevices.count }
        guard count > 5 * Self.quietMessagesPerMinute * (ends / 2 + 1) else { return }
        throw Violation(.caps, in: simulation, "\(count) messages in five idle minutes")
    }

    /// Writes all records of a zone on all members: they can, unless a live operation cannot be read.
    func writeOver(_ zone: ZoneID) throws {
        for node in members {
            for number in 0..<options.recordCount {
                let name = "r\(number)"
                guard let store = node.store, let row = try store.zone(zone), row.role.mayAppend else { continue }
                let tag = try RecordTag(of: name, zone: zone, in: store)
                let records = try ZoneRecords(of: row, store.reaches(zone: row), in: store, judge.evidence)
                let isHidden = try records.isHidden(tag)
                let value = FieldValue.string(workload.makeMark())
                let assignment = FieldAssignment(field: "title", value: value)
                let write = RecordWrite(name: name, type: Workload.type, set: [assignment])
                try node.submit(WriteRequest([write]), zone: zone) { answer in
                    guard case .done(let commit?) = answer, let result = commit.results.first?.first else { return }
                    let isRefused = if case .failure(.notReadable) = result { true } else { false }
                    guard isRefused != isHidden else { return }
                    throw Violation(
                        .keys,
                        at: node,
                        "\(isHidden ? "not " : "")all live parts of \(name) can be read, and it was"
                            + " \(isRefused ? "not " : "")written"
                    )
                }
                try wait(3_000)
            }
        }
        try converge()
    }
}
