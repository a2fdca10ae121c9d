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

extension QuarantineRefusal: CustomStringConvertible {
    /// The reason, for logs.
    package var description: String {
        switch self {
        case .unknown(let dot): "operation \(dot) is not in quarantine here"
        case .forked(let dot): "operation \(dot) stands behind a fork, and is restated by itself"
        case .waiting(let dot): "operation \(dot) stands on others that are not here yet"
        case .notReadable(let dot): "operation \(dot), or its record, is sealed under a key that is not here"
        case .unsound(let dot): "operation \(dot) seals nothing of its record"
        case .notAllowed(let dot): "this device may not write what operation \(dot) says"
        case .tooLarge(let dot): "operation \(dot) makes its record larger than one may be"
        case .needed(let dot): "operation \(dot) is needed by others that count"
        case .ownLog(let dot): "operation \(dot) stands in a log of this device"
        }
    }
}
