package import Wire

/// The store's answer to a peer's request about a payload.
package enum PayloadAnswer: Hashable, Sendable {
    /// The outline.
    case outline(PayloadOutline)
    /// The requested chunks that are here.
    case chunks([PayloadChunk])
    /// Nothing.
    case none
}
