package import Wire

/// Why what is quarantined is neither adopted nor purged.
package enum QuarantineRefusal: Error, Equatable, Sendable {
    /// No such operation is held, it counts, or it was purged.
    case unknown(Dot)
    /// It stands behind a fork: what it says is restated by itself, and nothing is dropped until then.
    case forked(Dot)
    /// Its author had seen operations that are not held here yet.
    case waiting(Dot)
    /// It, or what is live of its record, is sealed under a key that is not here.
    case notReadable(Dot)
    /// What its author sealed is nothing of its record.
    case unsound(Dot)
    /// The adopter may not write what it says.
    case notAllowed(Dot)
    /// What it says makes the record, beside what is live, larger than a record may be.
    case tooLarge(Dot)
    /// Others need it: its log counts up to behind it, or an operation that counts names it.
    case needed(Dot)
    /// It stands in a log of this device, of which it is the only one that surely has all.
    case ownLog(Dot)
}
