package import Wire

extension ReplicaTransaction {
    /// The body of a stored data operation, which was found sound when it was applied.
    /// - Parameters:
    ///   - stored: The operation.
    ///   - zone: Its zone.
    /// - Returns: `nil` for one that cannot be read here: its key is not here, or it does not open.
    /// - Throws: `ReplicaError.damaged`.
    /// - Complexity: O(bytes).
    package func opened(_ stored: StoredOperation, zone: ZoneID) throws -> OpenedBody? {
        let operation = stored.operation
        guard !operation.header.epoch.isZero else {
            return OpenedBody(try operation.clearBody(), bytes: operation.body)
        }
        guard let key = keyring.key(operation.header.epoch),
            let (bytes, _) = key.open(operation.body, header: operation.header, zone: zone, actor: stored.actor)
        else { return nil }
        do {
            return OpenedBody(try RecordBody(decoding: bytes), bytes: bytes)
        } catch {
            return nil
        }
    }

    /// Whether the key of a stored data operation's epoch is not here.
    func isLocked(_ stored: StoredOperation) -> Bool {
        let epoch = stored.operation.header.epoch
        return !epoch.isZero && keyring.key(epoch) == nil
    }

    /// A stored data operation as the merge sees it.
    /// - Parameters:
    ///   - stored: The operation.
    ///   - zone: Its zone.
    /// - Returns: `nil` for one that cannot be read here.
    /// - Throws: `ReplicaError.damaged`.
    package func sibling(_ stored: StoredOperation, zone: ZoneID) throws -> Sibling? {
        try opened(stored, zone: zone).map {
            Sibling(actor: stored.actor, header: stored.operation.header, body: $0.body)
        }
    }
}
