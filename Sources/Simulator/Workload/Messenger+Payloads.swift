import Identity
import Records
import Sync
import Wire

// Payloads, the contents of messages that travel apart from their records.
extension Messenger {
    /// Makes a content that is larger than its record: mostly of one chunk, else of three to five.
    func largeContent(_ text: String, isOfManyChunks: Bool? = nil) -> [UInt8] {
        let isOfMany = isOfManyChunks ?? payloadRandom.chance(0.25)
        let count = payloadRandom.number(isOfMany ? 140_000...300_000 : 1...60_000)
        return Array(text.utf8) + payloadRandom.bytes(Int(count))
    }

    /// The number of bytes uploaded.
    var handedInByteCount: Int { handedIn.values.reduce(0) { $0 + $1.count } }

    // MARK: Uploading

    /// Uploads a payload chunk by chunk, as a program does; after a failure the upload is abandoned.
    func handIn(
        _ bytes: [UInt8],
        on node: SimulatedNode,
        zone: ZoneID,
        then send: @escaping (PayloadID) -> Void
    ) {
        var row: Payloads.Draft?
        node.process?.commits.enqueue { process, transaction in
            let payloads = Payloads(process.committer())
            row = try payloads.begin(zone: zone, announced: UInt64(bytes.count), in: &transaction)
            return CommitNotice()
        } completion: { [self] result in
            guard case .success = result, let row else { return }
            var writer = try row.writer()
            guard writer.append(bytes) else { throw violation(node, "\(bytes.count) bytes are too many") }
            writer.finish()
            var chunks: [PayloadWriter.Chunk] = []
            while let chunk = writer.nextChunk() { chunks.append(chunk) }
            guard let outline = writer.outline() else { throw violation(node, "a payload has no end") }
            handedIn[outline.id] = bytes
            latestPayload = outline.id
            add(chunks[...], to: row.number, on: node) { [self] in
                step(row.number, on: node) { committer, transaction in
                    let count = UInt64(bytes.count)
                    return try Payloads(committer).finish(row.number, outline, byteCount: count, in: &transaction)
                } then: {
                    send(outline.id)
                }
            }
        }
    }

    private func add(
        _ chunks: ArraySlice<PayloadWriter.Chunk>,
        to number: UInt64,
        on node: SimulatedNode,
        then finish: @escaping () -> Void
    ) {
        guard let chunk = chunks.first else {
            finish()
            return
        }
        step(number, on: node) { committer, transaction in
            try Payloads(committer).add([chunk], to: number, in: &transaction)
        } then: { [self] in
            add(chunks.dropFirst(), to: number, on: node, then: finish)
        }
    }

    /// One transaction of an upload.
    private func step(
        _ number: UInt64,
        on node: SimulatedNode,
        _ body: @escaping (Committer, inout MemoryStore) throws -> Bool,
        then next: @escaping () -> Void
    ) {
        var isKept = false
        node.process?.commits.enqueue { process, transaction in
            isKept = try body(process.committer(), &transaction)
            return CommitNotice()
        } completion: { [unowned node] result in
            if case .success = result, isKept {
                next()
                return
            }
            node.process?.commits.enqueue { process, transaction in
                try Payloads(process.committer()).abandon(number, in: &transaction)
                return CommitNotice()
            }
        }
    }

    // MARK: Delivering

    /// Checks that a delivered payload is complete and equals the uploaded one.
    func checkHanded(
        _ payload: PayloadID,
        of row: MessageRow,
        on node: SimulatedNode,
        _ committer: Committer,
        _ store: MemoryStore
    ) throws {
        let bytes = try bytes(of: payload, committer, store)
        guard let bytes else {
            throw violation(node, "the message \(row.id.text) was delivered, and its payload is incomplete")
        }
        guard bytes == handedIn[payload] else {
            throw violation(node, "the payload of the message \(row.id.text) differs from the upload")
        }
    }

    /// All bytes of a payload; `nil` where some of them are missing.
    private func bytes(of payload: PayloadID, _ committer: Committer, _ store: MemoryStore) throws -> [UInt8]? {
        guard let row = try store.payload(payload), row.state == .present else { return nil }
        var bytes: [UInt8] = []
        while UInt64(bytes.count) < row.byteCount {
            let part = try Payloads(committer).bytes(of: row, from: UInt64(bytes.count), in: store)
            guard let part, !part.isEmpty else { return nil }
            bytes += part
        }
        return bytes
    }

    // MARK: In the end

    /// Whether no node lacks a payload that a peer has and may be asked for.
    /// - Parameters: as those of ``check(_:readers:areFinished:)``.
    /// - Returns: False as long as a payload can still be fetched.
    /// - Throws: Errors of a store.
    func isFetched(_ members: [SimulatedNode], readers: [ZoneID: [SimulatedNode]]) throws -> Bool {
        for node in members {
            guard let store = node.store else { continue }
            for row in try store.wantedPayloads(limit: .max) {
                guard let id = row.id, try store.messages(with: id).contains(where: { $0.state == .fetching })
                else { continue }
                if try holder(of: id, row.zone, for: node, among: readers[row.zone] ?? members) != nil { return false }
            }
        }
        return true
    }

    /// A node that has all of a payload, and that another node may ask for it at this moment.
    private func holder(
        of payload: PayloadID,
        _ zone: ZoneID,
        for node: SimulatedNode,
        among nodes: [SimulatedNode]
    ) throws -> SimulatedNode? {
        guard nodes.contains(where: { $0.index == node.index }), let process = node.process, let own = node.store,
            try isOpen(zone, own, process.committer())
        else { return nil }
        let devices = Set(process.sessionDevices)
        return try nodes.first { other in
            guard other.index != node.index, devices.contains(other.device), let store = other.store,
                let committer = other.process?.committer(), try isOpen(zone, store, committer)
            else { return false }
            return try store.payload(payload)?.state == .present
        }
    }

    /// Checks that a node that waits for a payload has no peer to fetch it from, and has not acknowledged it.
    func checkFetching(
        _ message: Sent,
        _ text: String,
        _ delivery: SentMessages.Delivery,
        at node: SimulatedNode,
        among nodes: [SimulatedNode]
    ) throws {
        guard let payload = message.payload, try node.store?.payload(payload)?.state == .wanted else {
            throw violation(node, "\(text) waits for a payload that is not wanted here")
        }
        if let holder = try holder(of: payload, message.zone, for: node, among: nodes) {
            throw violation(node, "the payload of \(text) was not fetched, and node \(holder.index) has it")
        }
        // Receipts from another incarnation of the store remain.
        let isSetBack = judge?.evidence.disturbedDevices.contains(node.device) ?? true
        guard isSetBack || ![.delivered, .read].contains(delivery.state) else {
            throw violation(node, "\(text) waits for its payload, and its sender sees \(delivery.state.rawValue)")
        }
    }

    /// Checks that the sender of a payload keeps it as long as its store lives.
    func checkKept(
        _ message: Sent,
        _ text: String,
        by sender: SimulatedNode,
        _ committer: Committer,
        _ store: MemoryStore
    ) throws {
        guard let payload = message.payload, let incarnation = message.incarnation,
            try store.incarnation() == incarnation
        else { return }
        guard try bytes(of: payload, committer, store) == handedIn[payload] else {
            throw violation(sender, "\(text) was sent from here, and its payload is gone here")
        }
    }

    /// Checks that a payload is complete at its recipient, which keeps it after finishing it as long as its store
    /// lives.
    func checkKept(
        _ message: Sent,
        _ text: String,
        at node: SimulatedNode,
        isFinished: Bool,
        _ committer: Committer,
        _ store: MemoryStore
    ) throws {
        guard let payload = message.payload else { return }
        let bytes = try bytes(of: payload, committer, store)
        if bytes == nil, isFinished, try finished[node.index]?[message.id] != store.incarnation() { return }
        guard bytes == handedIn[payload] else {
            throw violation(node, "\(text) is for this device, and its content is not here")
        }
    }

    /// The state of the deliveries of a payload's message, for people.
    func deliveries(of payload: PayloadID?, on node: SimulatedNode) -> String {
        guard let payload, let store = node.store, let committer = node.process?.committer(),
            let row = try? store.messages(with: payload).first,
            let message = try? MessageRecords(committer).message(of: row, in: store),
            let deliveries = try? SentMessages(committer).deliveries(of: row, message, in: store)
        else { return "it is missing" }
        return deliveries.map { "\($0.device.shortText) \($0.state)" }.joined(separator: ", ")
    }

    /// Whether a relay has a payload, and its message is shown as relayed to all devices that could answer and have
    /// not.
    func isRelayed(_ payload: PayloadID, on node: SimulatedNode, relays: [SimulatedNode]) throws -> Bool {
        guard let store = node.store, let committer = node.process?.committer(),
            let row = try store.messages(with: payload).first,
            let message = try MessageRecords(committer).message(of: row, in: store)
        else { return false }
        // Another check asks whether the shown state is true.
        let states = try SentMessages(committer).deliveries(of: row, message, in: store).map(\.state)
        guard !states.isEmpty, !states.contains(.queued) else { return false }
        return try relays.contains { try $0.store?.payload(payload)?.state == .present }
    }

    /// Whether the message of a payload is shown as delivered to one of some nodes.
    func isShownAsDelivered(
        _ payload: PayloadID,
        by node: SimulatedNode,
        to others: some Sequence<SimulatedNode>
    ) throws -> Bool {
        guard let store = node.store, let committer = node.process?.committer(),
            let row = try store.messages(with: payload).first,
            let message = try MessageRecords(committer).message(of: row, in: store)
        else { return false }
        let devices = Set(others.compactMap(\.device))
        return try SentMessages(committer).deliveries(of: row, message, in: store).contains {
            devices.contains($0.device) && ($0.state == .delivered || $0.state == .read)
        }
    }
}
