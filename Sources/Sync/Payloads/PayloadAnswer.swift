package import Wire

/// The store's answer to a peer's request about a payload.
package enum PayloadAnswer: Hashable, Sendable {
    /// The outline, and the chunk of a payload that has no other one, where it is here.
    case outline(PayloadOutline, sole: PayloadChunk? = nil, isSoleDamaged: Bool = false)
    /// The requested chunks that are here, and the positions of those that should be and are damaged or lost.
    case chunks([PayloadChunk], damaged: [UInt64] = [])
    /// Nothing.
    case none

    /// The positions of chunks that should be here, and are damaged or lost.
    var damaged: [UInt64] {
        switch self {
        case .outline(_, _, let isSoleDamaged): isSoleDamaged ? [0] : []
        case .chunks(_, let damaged): damaged
        case .none: []
        }
    }
}
