import Records
import Testing
import Wire

@Suite struct AppliedTests {
    private func record(_ number: UInt64, modifiedAt milliseconds: UInt64) -> RecordRow {
        let dot = Dot(actor: .zero, counter: 1)
        return RecordRow(
            zone: .zero,
            tag: RecordTag(Digest32(word0: number, word1: 0, word2: 0, word3: 0)),
            name: "\(number)",
            type: "note",
            isDeleted: false,
            version: RecordVersion(VersionVector()),
            vector: VersionVector(),
            context: VersionVector(),
            live: [dot],
            creation: dot,
            time: HybridTime(milliseconds: milliseconds),
            body: []
        )
    }

    @Test func `a record that changed twice is there once, in its later state`() {
        var applied = AppliedOperations()
        applied.changed = [record(1, modifiedAt: 1), record(2, modifiedAt: 1)]
        var later = AppliedOperations()
        later.changed = [record(1, modifiedAt: 2), record(3, modifiedAt: 2)]
        applied.add(later)
        #expect(
            applied.changed == [
                record(2, modifiedAt: 1), record(1, modifiedAt: 2), record(3, modifiedAt: 2),
            ]
        )
    }

    @Test func `each fact of two steps is kept, and the size is the later one's`() {
        let void = AppliedOperations.Void(device: .zero, reason: .outOfRight)
        var applied = AppliedOperations()
        applied.size = 3
        applied.storedCount = 3
        applied.appliedCount = 1
        applied.void = [void: 1]
        applied.isTakenBack = true
        var later = AppliedOperations()
        later.size = 5
        later.storedCount = 2
        later.appliedCount = 4
        later.void = [void: 2]
        later.hasControlChanges = true
        later.hasCoveredCheckpoint = true
        applied.add(later)
        #expect(applied.size == 5)
        #expect(applied.storedCount == 5)
        #expect(applied.appliedCount == 5)
        #expect(applied.void == [void: 3])
        #expect(applied.isTakenBack && applied.hasControlChanges && applied.hasCoveredCheckpoint)
    }
}
