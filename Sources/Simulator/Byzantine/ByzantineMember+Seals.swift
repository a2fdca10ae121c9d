import Records
import Sync
import Wire

// A byzantine member's faulty seals.
extension ByzantineMember {
    /// Seals an operation correctly, or turns it into one of a record that others write as well, sealed with one
    /// fault.
    /// - Parameters:
    ///   - operation: An unsealed operation of any record.
    ///   - zone: Its zone.
    ///   - key: Its log.
    ///   - misdeed: The fault; `nil` for a correct seal.
    /// - Returns: The operation; `nil` where nothing can be sealed.
    /// - Throws: Errors of the store.
    func sealed(_ operation: Operation, in zone: ZoneRow, key: LogKey, _ misdeed: Misdeed?) throws -> Operation? {
        guard case .epoch(let epoch) = zone.sealing, let epochKey = store.keyring.key(epoch) else { return nil }
        var body = try RecordBody(decoding: operation.body)
        // Correctly sealed operations belong to records of its own.
        guard let misdeed else {
            return seal(body, operation.header, zone, key, epoch, epochKey, isTombstone: false)
        }
        var header = operation.header
        body.name = "r\(random.index(below: process.simulation.options.recordCount))"
        header.tag = try RecordTag(of: body.name, zone: zone.id, in: store)
        // Half of them replace everything in the record.
        if random.chance(0.5) { header.vector.merge(everything(but: key)) }
        switch misdeed {
        case .unknownEpoch:
            let unknown = try EpochKey(bytes: random.bytes(32))
            let isTombstone = random.chance(0.2)
            return seal(body, header, zone, key, Hash(random.digest()), unknown, isTombstone: isTombstone)
        case .sealedOtherName:
            body.name += random.chance(0.5) ? "x" : "0"
            return seal(body, header, zone, key, epoch, epochKey, isTombstone: false)
        case .falseTombstone:
            let isTombstone = random.chance(0.5)
            if !isTombstone { body.isDeleted = true }
            return seal(body, header, zone, key, epoch, epochKey, isTombstone: isTombstone)
        case .foreignSeal:
            guard let other = random.element(of: try sealedOperations(in: zone)) else { return nil }
            header.epoch = other.header.epoch
            return finished(header, other.body)
        default:
            let sealed = seal(body, header, zone, key, epoch, epochKey, isTombstone: random.chance(0.2))
            var content = try SealedBody(decoding: sealed.body)
            if misdeed == .falseCommitment {
                content.commitment = Hash(random.digest())
            } else if random.chance(0.5) {
                content.ciphertext = random.bytes(17 + random.index(below: 200))
            } else {
                content.ciphertext[random.index(below: content.ciphertext.count)] ^= 1
            }
            return finished(sealed.header, content.encoded)
        }
    }

    private func seal(
        _ body: RecordBody,
        _ header: OperationHeader,
        _ zone: ZoneRow,
        _ key: LogKey,
        _ epoch: Hash,
        _ epochKey: EpochKey,
        isTombstone: Bool
    ) -> Operation {
        var header = header
        header.epoch = epoch
        let entropy = TransactionEntropy(using: &random)
        let sealer = BodySealer(zone: zone.id, epoch: epoch, key: epochKey, entropy: entropy)
        return finished(header, sealer.seal(body.encoded, isTombstone: isTombstone, header: header, actor: key.actor))
    }

    private func finished(_ header: OperationHeader, _ body: [UInt8]) -> Operation {
        var header = header
        header.bodyHash = Operation.bodyHash(body)
        return Operation(header: header, body: body)
    }

    /// All operations of a zone in its store that have a sealed body.
    private func sealedOperations(in zone: ZoneRow) throws -> [Operation] {
        try store.logs(zone: zone.id).filter { $0.key.lane == .data }.flatMap { row in
            try store.items(row.key, from: 0, to: row.size).compactMap { item in
                guard case .operation(let stored) = item.content, !stored.operation.header.epoch.isZero else {
                    return nil
                }
                return stored.operation
            }
        }
    }
}
