package import Wire

/// One live operation of a record, as the merge sees it.
package struct Sibling: Equatable, Sendable {
    /// The author's actor, and the operation's number in that actor's log.
    package var dot: Dot
    /// All operations of the record that its author had seen, itself included.
    package var vector: VersionVector
    /// The write that created the record.
    package var creation: Dot
    /// The author's clock.
    package var time: HybridTime
    /// The whole state that it left.
    package var body: RecordBody

    /// A sibling.
    package init(dot: Dot, vector: VersionVector, creation: Dot, time: HybridTime, body: RecordBody) {
        self.dot = dot
        self.vector = vector
        self.creation = creation
        self.time = time
        self.body = body
    }

    /// The sibling that an operation is.
    /// - Parameters:
    ///   - actor: The log's actor.
    ///   - header: The operation's header.
    ///   - body: Its decoded body.
    package init(actor: ActorID, header: OperationHeader, body: RecordBody) {
        self.init(
            dot: Dot(actor: actor, counter: header.counter),
            vector: header.vector,
            creation: header.creation,
            time: header.time,
            body: body
        )
    }
}
