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
}
