/// The records behind a refusal, so that a program can continue without another request.
package indirect enum ErrorEvidence: Sendable {
    /// The record has another version than the write named.
    ///
    /// `current` is the record as it is here, `nil` when it does not exist. `ancestor` is the state that the write named,
    /// `nil` when it is not held any more or was itself the merge of concurrent writes.
    case conflict(current: RecordView?, ancestor: RecordView?)
    /// The record as its deletion left it.
    case deletion(RecordView)
}

extension ErrorEvidence: Equatable {
    /// Whether both are about the same states of the same records.
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.conflict(let current, let ancestor), .conflict(let otherCurrent, let otherAncestor)):
            isSame(current, otherCurrent) && isSame(ancestor, otherAncestor)
        case (.deletion(let record), .deletion(let other)): isSame(record, other)
        default: false
        }
    }

    private static func isSame(_ one: RecordView?, _ other: RecordView?) -> Bool {
        one?.zone == other?.zone && one?.name == other?.name && one?.version == other?.version
    }
}
