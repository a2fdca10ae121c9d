package import Wire

/// The reason why a quarantined operation is neither adopted nor purged.
package enum QuarantineRefusal: Error, Equatable, Sendable {
    /// No such operation is held, it is effective, or it was purged.
    case unknown(Dot)
    /// It stands behind a fork: its content is restated automatically, and nothing is dropped until then.
    case forked(Dot)
    /// Its author had seen operations that are not held here yet.
    case waiting(Dot)
    /// The operation, or a live one of its record, is sealed under a key that is not here.
    case notReadable(Dot)
    /// The bytes that its author sealed are no valid body of its record.
    case unsound(Dot)
    /// The adopter may not write the operation's content.
    case notAllowed(Dot)
    /// The operation's content, together with the live operations, would exceed the size limit of a record.
    case tooLarge(Dot)
    /// Other operations depend on it: operations behind it in its log are effective, or an effective operation names
    /// it.
    case needed(Dot)
    /// It stands in a log of this device, the only device that certainly holds the whole log.
    case ownLog(Dot)
}

extension QuarantineRefusal: CustomStringConvertible {
    /// The reason, for logs.
    package var description: String {
        switch self {
        case .unknown(let dot): "operation \(dot) is not in quarantine here"
        case .forked(let dot): "operation \(dot) is behind a fork, and is restated without a decision"
        case .waiting(let dot): "operation \(dot) depends on others that are not here yet"
        case .notReadable(let dot): "operation \(dot), or its record, is sealed under a key that is not here"
        case .unsound(let dot): "operation \(dot) seals data that does not belong to its record"
        case .notAllowed(let dot): "this device may not write the content of operation \(dot)"
        case .tooLarge(let dot): "operation \(dot) makes its record larger than the limit"
        case .needed(let dot): "operation \(dot) is needed by others that are effective"
        case .ownLog(let dot): "operation \(dot) is in a log of this device"
        }
    }
}
