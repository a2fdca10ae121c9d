/// A kind of fault in a history; each seed allows a subset.
package enum FaultKind: String, CaseIterable, Sendable, Comparable {
    /// A machine loses its power at any moment.
    case crash
    /// A machine loses its power between two operations of its disk.
    case crashInCommit
    /// A process stops in order and starts again.
    case restart
    /// The disk is full for a while.
    case diskFull
    /// Commits and reads fail.
    case ioError
    /// The network is divided into parts.
    case partition
    /// Bytes get through in one direction only.
    case oneWay
    /// A link comes and goes.
    case flapping
    /// A direction of a link carries nothing for a while.
    case clogging
    /// Links are slow and long.
    case slowLinks
    /// A connection dies without either side noticing.
    case silentDeath
    /// A connection dies and one or both sides notice.
    case cut
    /// The bytes of a connection end too early.
    case truncation
    /// A byte is altered on its way.
    case bitFlip
    /// Bytes of an earlier connection are sent again.
    case replay
    /// A wall clock jumps by up to thirty years.
    case clockJump
    /// A machine gets another address.
    case roaming
    /// A database is rolled back to an earlier image, the sentinel is not.
    case restoreDatabase
    /// Database and sentinel are rolled back together.
    case restoreWithSentinel
    /// A whole disk is rolled back.
    case restoreWhole
    /// A database is lost.
    case loseDatabase
    /// A machine's disk is copied to another machine that runs too.
    case clone
    /// mDNS announces addresses that are not the device's.
    case discoveryLies
    /// Devices are added late.
    case addition
    /// Devices are removed.
    case removal
    /// A member breaks the protocol on purpose.
    case byzantine

    /// In the order of their names.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
