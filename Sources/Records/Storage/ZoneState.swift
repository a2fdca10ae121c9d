/// Whether a zone takes writes.
package enum ZoneState: Hashable, Sendable {
    /// Reads and writes.
    case live
    /// Kept and served, but takes no new local writes.
    case sealed
    /// Deleted by a control operation, with its author's reason.
    case deleted(reason: String)
}
