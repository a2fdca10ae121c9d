package import Wire

/// One write, as the reference model is given it.
package struct ReferenceOperation: Equatable, Sendable {
    /// Who wrote it, and the how manieth of that log it is.
    package var dot: Dot
    /// What was signed about it.
    package var header: OperationHeader
    /// The whole record as the write left it.
    package var body: RecordBody
    /// Whether the body cannot be read where the record is looked at: then what is said here of it says nothing.
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
