package import Records
import Wire

// The rules for the node's own values that a store accepts, whatever its implementation: those of
// `Sources/Records/Storage/StorableRules.swift` for values beside the replica. Each store passes a row through these
// functions on the way in.
//
// Columns of integers are signed. A time, or a size that a peer states, may be any number: beyond the largest that a
// column takes it is kept as that one, which is as far away. A number that the store gives, or counts with, is refused
// there: two of them would become one.

extension PeerRow {
    /// The row as a store keeps it.
    /// - Throws: `ReplicaError.unstorable`.
    package func storable() throws(ReplicaError) -> PeerRow {
        var row = self
        row.addresses = Array(addresses.prefix(Self.addressCountMax))
        // One is a line.
        let isEachALine = row.addresses.allSatisfy { address in
            !address.isEmpty && !address.utf8.contains { $0 == 10 || $0 == 13 }
        }
        try require(isEachALine, "an address that is not a line of text")
        row.lastSeenMilliseconds = lastSeenMilliseconds.storable
        return row
    }
}

extension AcknowledgementRow {
    /// The row as a store keeps it.
    package var storable: AcknowledgementRow {
        AcknowledgementRow(device: device, key: key, size: size.storable)
    }
}

extension MessageRow {
    /// The row as a store keeps it.
    /// - Throws: `ReplicaError.unstorable`.
    package func storable() throws(ReplicaError) -> MessageRow {
        try require(number <= StorableLimits.numberMax, "a message of an impossible number")
        try require(place.counter <= StorableLimits.numberMax, "a message in an impossible place")
        try requireValid()
        var row = self
        (row.expires, row.heldSince) = (expires?.storable, heldSince?.storable)
        return row
    }
}

extension PrekeyRow {
    /// The row as a store keeps it.
    package var storable: PrekeyRow {
        PrekeyRow(
            id: id,
            zone: zone,
            seed: seed,
            begun: begun.storable,
            stated: stated.storable,
            superseded: superseded?.storable,
            state: state
        )
    }
}

extension PayloadRow {
    /// The most bytes of a payload: those of its content, and those that sealing adds to all chunks of an upload.
    package static let byteCountMax =
        Limits.payloadByteCountMax + UInt64(Limits.payloadChunkCountMax * Limits.chunkTagByteCount)

    /// The row as a store keeps it.
    /// - Throws: `ReplicaError.unstorable`.
    package func storable() throws(ReplicaError) -> PayloadRow {
        try require(number <= StorableLimits.numberMax, "a payload of an impossible number")
        try require(byteCount <= Self.byteCountMax, "a payload that is too long")
        try requireValid()
        return PayloadRow(
            number: number,
            id: id,
            zone: zone,
            state: state,
            byteCount: byteCount,
            secret: secret,
            begun: begun.storable,
            sender: sender,
            keptUntil: keptUntil?.storable,
            keeping: keeping,
            isAsset: isAsset,
            unnamedSince: unnamedSince?.storable,
            chunkByteCount: chunkByteCount
        )
    }
}

extension ChunkRow {
    /// Makes sure that the chunk is one of a payload.
    /// - Parameters:
    ///   - payload: The number of its payload.
    ///   - chunkByteCount: Plain bytes of a chunk of the payload: those of a longer one would take the place of the next.
    /// - Throws: `ReplicaError.unstorable`.
    package func requireStorable(of payload: UInt64, chunkByteCount: Int) throws(ReplicaError) {
        try require(payload <= StorableLimits.numberMax, "a chunk of a payload of an impossible number")
        try require(position < UInt64(Limits.payloadChunkCountMax), "a chunk in an impossible place")
        try require(
            (bytes?.count ?? 0) <= chunkByteCount + Limits.chunkTagByteCount,
            "a chunk that is too long"
        )
    }
}

extension AssetPolicy {
    /// The policy as a store keeps it.
    package var storable: AssetPolicy {
        if case .upTo(let byteCount) = self { .upTo(byteCount.storable) } else { self }
    }
}

extension EvictionRow {
    /// The row as a store keeps it.
    package var storable: EvictionRow { EvictionRow(payload: payload, attempt: attempt.storable) }
}

extension RetentionRow {
    /// The row as a store keeps it.
    package var storable: RetentionRow { RetentionRow(payload: payload, until: until.storable) }
}

extension CustodyRow {
    /// The row as a store keeps it.
    package var storable: CustodyRow {
        CustodyRow(payload: payload, zone: zone, relay: relay, until: until.storable, kind: kind)
    }
}

extension PostedParcelRow {
    /// The row as a store keeps it.
    /// - Throws: `ReplicaError.unstorable`.
    package func storable() throws(ReplicaError) -> PostedParcelRow {
        try require(stretches.count <= Limits.parcelMessageCountMax, "a parcel of too many stretches")
        try requireValid()
        var row = self
        (row.day, row.until, row.missingSince) = (day.storable, until.storable, missingSince?.storable)
        return row
    }
}

extension UInt64 {
    /// The number, or the largest one that a column takes.
    package var storable: UInt64 { Swift.min(self, StorableLimits.numberMax) }
}

private func require(_ condition: Bool, _ what: String) throws(ReplicaError) {
    guard condition else { throw .unstorable(what) }
}

extension HolderRow {
    /// The row as a store keeps it.
    package var storable: HolderRow {
        HolderRow(payload: payload, device: device, holds: holds, stated: stated.storable, due: due.storable)
    }
}
