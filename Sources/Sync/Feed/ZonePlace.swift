/// The place where people and programs find a zone: one of a container's databases, or none.
package enum ZonePlace: UInt8, Sendable, Hashable {
    /// Nowhere: it was deleted, or this account or device is out of it.
    case hidden = 0
    /// Among the zones of this account.
    case own = 1
    /// Among the zones that other accounts share with this one.
    case foreign = 2
    /// Among the zones in which everyone may do something.
    case everybody = 3
}
