package import Wire

/// What the store has of what a peer asks for of a payload.
package enum PayloadAnswer: Hashable, Sendable {
    /// The outline.
    case outline(PayloadOutline)
    /// Those chunks that are here.
    case chunks([PayloadChunk])
    /// Nothing.
    case none
}
