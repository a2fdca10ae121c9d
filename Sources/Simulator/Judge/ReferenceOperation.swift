package import Wire

/// One write, as input to the reference model.
package struct ReferenceOperation: Equatable, Sendable {
    /// The actor that wrote it, and its counter in that actor's log.
    package var dot: Dot
    /// The signed header.
    package var header: OperationHeader
    /// The whole record as the write left it.
    package var body: RecordBody
    /// Whether the body cannot be read in the inspected store: then the body here means nothing.
    package var isUnread = false

    /// An operation.
    package init(dot: Dot, header: OperationHeader, body: RecordBody) {
        self.dot = dot
        self.header = header
        self.body = body
    }

    /// An operation of which only the header can be read.
    init(unread header: OperationHeader, dot: Dot) {
        let nothing = RecordBody(
            name: "",
            type: "",
            isDeleted: false,
            parent: nil,
            creator: .zero,
            modifier: .zero,
            fields: []
        )
        self.init(dot: dot, header: header, body: nothing)
        isUnread = true
    }

    /// Whether its author had seen another operation of the record.
    func covers(_ other: ReferenceOperation) -> Bool {
        hasSeen(other.dot)
    }

    /// Whether its author had seen a write of the record.
    func hasSeen(_ dot: Dot) -> Bool {
        header.vector.entries.contains { $0.actor == dot.actor && $0.counter >= dot.counter }
    }
}
