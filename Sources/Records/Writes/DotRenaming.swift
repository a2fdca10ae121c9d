import Wire

/// Puts one operation of a new log in the place of the last ones of an old log that only its author holds.
struct DotRenaming {
    private let actor: ActorID
    private let size: UInt64
    private let dot: Dot
    private let time: HybridTime

    /// - Parameters:
    ///   - actor: The old log's actor.
    ///   - size: Its dots above this are replaced.
    ///   - dot: The dot that takes their place.
    ///   - time: The time of the operation with that dot.
    init(actor: ActorID, above size: UInt64, to dot: Dot, _ time: HybridTime) {
        self.actor = actor
        self.size = size
        self.dot = dot
        self.time = time
    }

    /// The operation that restates a record.
    /// - Throws: `ReplicaError.noRoom` when it is larger than an operation may be.
    func operation(
        _ state: MergedRecord,
        tag: RecordTag,
        author: Author,
        _ controlHeads: Hash
    ) throws -> (Operation, OpenedBody) {
        let body = RecordBody(
            name: state.name,
            type: state.type,
            isDeleted: state.isDeleted,
            parent: state.parent,
            creator: state.creator,
            modifier: author.device,
            fields: state.fields.map(renamed),
            unknownExtension: state.unknownExtension
        )
        var vector = state.seen
        vector[actor] = min(vector[actor], size)
        vector.merge(dot)
        let bytes: [UInt8]
        do {
            bytes = try body.checkedEncoding()
        } catch {
            throw ReplicaError.noRoom(tag)
        }
        guard vector.count <= Limits.actorCountMax else { throw ReplicaError.noRoom(tag) }
        let header = OperationHeader(
            counter: dot.counter,
            tag: tag,
            vector: vector,
            creation: renamed(state.creation),
            controlHeads: controlHeads,
            epoch: .zero,
            time: time,
            batch: .single,
            bodyHash: .zero
        )
        let operation = author.operation(header, body: bytes, isTombstone: body.isDeleted)
        return (operation, OpenedBody(body, bytes: bytes))
    }

    private func renamed(_ old: Dot) -> Dot {
        old.actor == actor && old.counter > size ? dot : old
    }

    private func renamed(_ field: MergedField) -> RecordField {
        let entries = (field.isFolded ? [field.winner] : field.entries).map { old in
            var entry = old
            // Merged counters and sets are stated by no other operation.
            entry.dot = field.isFolded ? dot : renamed(old.dot)
            if entry.dot == dot { entry.time = time }
            if case .set(let set) = old.value {
                entry.value = .set(
                    SetState(
                        entries: set.entries.map { element in
                            SetState.Entry(element: element.element, dots: Array(Set(element.dots.map(renamed))))
                        }
                    )
                )
            }
            return entry
        }
        return RecordField(name: field.name, entries: entries)
    }
}
