import Sync
import Testing
import Wire

@Suite struct `The bytes of uploaded payloads` {
    private func row(
        _ number: UInt64,
        _ state: PayloadRow.State,
        zone: Int = 0,
        byteCount: UInt64,
        sender: Int? = nil,
        keptUntil: UInt64? = nil
    ) -> PayloadRow {
        PayloadRow(
            number: number,
            id: [.wanted, .present].contains(state) ? PayloadID(Sample.hash(number).digest) : nil,
            zone: Sample.zone(zone),
            state: state,
            byteCount: byteCount,
            secret: StoredSecret([UInt8](repeating: 7, count: StoredSecret.byteCount)),
            begun: 1,
            sender: sender.map { Sample.device($0) },
            keptUntil: keptUntil
        )
    }

    @Test func `are counted by zone while the upload lasts and while they are kept, small ones as 4,096`() throws {
        var store = MemoryStore(feedIdentity: [UInt8](repeating: 7, count: 16))
        let rows = [
            row(1, .uploading, byteCount: 0),
            row(2, .present, byteCount: 10_000),
            row(3, .present, zone: 1, byteCount: 4_097),
            row(4, .present, zone: 1, byteCount: 4_095),
            // Payloads from other devices, and for other devices, and one that is dropped.
            row(5, .wanted, byteCount: 50_000, sender: 2),
            row(6, .present, byteCount: 50_000, sender: 2),
            row(7, .present, byteCount: 50_000, keptUntil: 9),
            row(8, .released, byteCount: 50_000),
        ]
        for row in rows { try store.save(row) }
        #expect(try store.handedInByteCounts() == [Sample.zone(0): 14_096, Sample.zone(1): 8_193])
    }
}
