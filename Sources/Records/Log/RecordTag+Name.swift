package import Sodium
package import Wire

extension RecordTag {
    /// The tag of a record's name: keyed BLAKE2b-256, so that a device without the zone's key learns nothing of the
    /// name.
    /// - Parameters:
    ///   - name: The record's name; the tag depends on its bytes, not on its canonical form.
    ///   - key: The zone's tag key.
    package init(name: String, key: borrowing SymmetricKey) {
        let bytes = Blake2b.keyedHash(.recordTag, key: key, [UInt8](name.utf8))
        // The hash was asked for with 32 bytes.
        self = RecordTag(bytes) ?? .zero
    }

    /// The tag of a record's name in a zone.
    /// - Throws: `.unknownZone`.
    package init(of name: String, zone: ZoneID, in transaction: some ReplicaTransaction) throws {
        self.init(name: name, key: try transaction.knownZone(zone).recordTagKey())
    }
}

extension ZoneRow {
    /// The key of the record tags.
    func recordTagKey() throws -> SymmetricKey {
        do {
            return try SymmetricKey(bytes: tagKey, placement: .transient)
        } catch {
            throw ReplicaError.damaged("a tag key has 32 bytes")
        }
    }
}
