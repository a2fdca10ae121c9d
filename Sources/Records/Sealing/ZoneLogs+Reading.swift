import Sodium
import Wire

extension ZoneLogs {
    /// Reads an operation's body as far as this replica can.
    ///
    /// A function of the operation and of whether the key of its epoch is here.
    /// - Parameters:
    ///   - operation: The operation.
    ///   - clear: Its body, if that was in clear and is decoded already.
    ///   - row: Its log.
    ///   - keyring: The keys.
    /// - Returns: The reading.
    /// - Throws: `ReplicaError.damaged` when a stored body in clear is none.
    /// - Complexity: O(bytes).
    func reading(
        _ operation: Operation,
        _ clear: RecordBody?,
        in row: LogRow,
        _ keyring: EpochKeyring
    ) throws -> BodyReading {
        if let clear { return .opened(OpenedBody(clear, bytes: operation.body)) }
        let header = operation.header
        guard !header.epoch.isZero else { return .opened(OpenedBody(try operation.clearBody(), bytes: operation.body)) }
        guard let key = keyring.key(header.epoch) else { return .locked }
        guard
            let (bytes, isTombstone) = key.open(operation.body, header: header, zone: zone.id, actor: row.key.actor)
        else { return .unsound(nil) }
        let body: RecordBody
        do {
            body = try RecordBody(decoding: bytes)
        } catch {
            return .unsound(.body(error))
        }
        guard body.isDeleted == isTombstone else { return .unsound(.tombstone) }
        let tagKey = try zone.recordTagKey()
        if let rule = body.brokenRule(header, actor: row.key.actor, device: row.device, tagKey: tagKey) {
            return .unsound(rule)
        }
        return .opened(OpenedBody(body, bytes: bytes))
    }

    /// Reads a stored operation's body as far as this replica can.
    func reading(_ stored: StoredOperation, in row: LogRow, _ keyring: EpochKeyring) throws -> BodyReading {
        try reading(stored.operation, nil, in: row, keyring)
    }
}

extension Operation {
    /// Whether it states outside of any seal that it deletes its record; for an unsealed operation, whether it
    /// deletes it.
    var isTombstone: Bool {
        do {
            return try header.epoch.isZero
                ? RecordBody(decoding: body).isDeleted : SealedBody(decoding: body).isTombstone
        } catch {
            // Neither is stored before it was decoded.
            return false
        }
    }

    /// The body of a data operation in clear, which was verified before it was stored.
    func clearBody() throws -> RecordBody {
        do {
            return try RecordBody(decoding: body)
        } catch {
            throw ReplicaError.damaged("a stored body cannot be decoded: \(error)")
        }
    }
}
