import Wire

/// A record's merged state that an operation of the local author is about to state, all values as they are.
struct RestatedRecord {
    let merged: MergedRecord
    /// The version vector that the operation has seen.
    let seen: VersionVector
    let tag: RecordTag
    let controlHeads: Hash

    /// The operation that states the record.
    ///
    /// Counters and sets that were merged from several writes are stated under the operation's own dot, since no write
    /// stated them yet.
    /// - Parameters:
    ///   - dot: The operation's dot.
    ///   - time: Its time.
    ///   - author: The operation's author.
    /// - Returns: Nil when it is larger than a record may be.
    func operation(_ dot: Dot, time: HybridTime, author: Author) -> (operation: Operation, body: OpenedBody)? {
        let fields = merged.fields.map { field in
            guard field.isFolded else { return field.recordField }
            let entry = FieldEntry(dot: dot, time: time, value: field.winner.value)
            return RecordField(name: field.name, entries: [entry])
        }
        let body = RecordBody(
            name: merged.name,
            type: merged.type,
            isDeleted: merged.isDeleted,
            parent: merged.parent,
            creator: merged.creator,
            modifier: author.device,
            fields: fields,
            unknownExtension: merged.unknownExtension
        )
        var vector = seen
        vector.merge(dot)
        guard vector.count <= Limits.actorCountMax else { return nil }
        let bytes: [UInt8]
        do {
            bytes = try WriteBuilder.encode(body)
        } catch {
            return nil
        }
        let header = OperationHeader(
            counter: dot.counter,
            tag: tag,
            vector: vector,
            creation: merged.creation,
            controlHeads: controlHeads,
            epoch: .zero,
            time: time,
            batch: .single,
            bodyHash: .zero
        )
        let operation = author.operation(header, body: bytes, isTombstone: body.isDeleted)
        return (operation, OpenedBody(body, bytes: bytes))
    }
}
