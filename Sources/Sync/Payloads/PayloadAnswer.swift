package import Wire

/// The store's answer to a peer's request about a payload.
package enum PayloadAnswer: Hashable, Sendable {
    /// The outline.
    case outline(PayloadOutline)
    /// The requested chunks that are here, and the positions of those that should be and are damaged or lost.
    case chunks([PayloadChunk], damaged: [UInt64] = [])
    /// Nothing.
    case none
}
