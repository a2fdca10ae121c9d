import Records
import Testing
import Wire

@Suite struct `A refusal of the replica` {
    private static let key = LogKey(
        zone: ZoneID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4)),
        actor: ActorID(Digest32(word0: 5, word1: 6, word2: 7, word3: 8)),
        lane: .data
    )

    @Test func `is a sentence that names the log by the beginnings of its ids`() {
        let log = "the data log \(Self.key.actor.shortText) of zone \(Self.key.zone.shortText)"
        #expect(
            "\(ReplicaError.invalidRun(Self.key, .invalidOperation(counter: 7, .body(.truncated))))"
                == "a run of \(log) is not valid: operation 7 breaks a rule: its body cannot be read: the bytes end before the value does"
        )
        #expect("\(ReplicaError.pendingFull(Self.key))" == "the maximum number of operations waits in \(log)")
    }

    @Test func `names the broken rules of a record, and no value`() {
        let violation = SchemaViolation(field: "count", rule: .kind, found: "string of 1")
        #expect(
            "\(WriteRefusal.schemaViolation([violation]))"
                == "the schema does not allow it: field \"count\": kind, found string of 1"
        )
        #expect("\(WriteRefusal.versionMismatch(current: nil))" == "the record has another version: none")
    }
}
