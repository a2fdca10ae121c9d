package import Wire

/// A chunk of a payload, as its outline has it.
package struct ChunkRow: Hashable, Sendable {
    /// The position of the chunk, from 0.
    package let position: UInt64
    /// The hash of its bytes.
    package let hash: Hash
    /// Its bytes, as sealed; `nil` while they are not here.
    package var bytes: [UInt8]?

    /// Describes a chunk.
    /// - Parameters: as the properties of the same names.
    package init(position: UInt64, hash: Hash, bytes: [UInt8]? = nil) {
        (self.position, self.hash, self.bytes) = (position, hash, bytes)
    }
}
