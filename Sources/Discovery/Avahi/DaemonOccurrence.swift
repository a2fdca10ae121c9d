/// A report of the mDNS daemon, as a value.
///
/// Avahi's callbacks only note these; all decisions are made afterwards and outside of any callback, so that no
/// callback ever frees the object that it was called for.
enum DaemonOccurrence: Equatable {
    /// The daemon is ready: services may be published.
    case running
    /// The daemon is there but sorts out its host name; published services are off the air.
    case registering
    /// The daemon is not there yet; it is waited for.
    case waiting
    /// The connection is of no use any more.
    case failed(AvahiError)
    /// A service is on the air on an interface.
    case published(interface: UInt32)
    /// Another node on an interface has the name already.
    case collided(interface: UInt32)
    /// Publishing on an interface failed.
    case publishingFailed(interface: UInt32, AvahiError)
    /// A service was announced.
    case appeared(CandidateKey)
    /// A service said goodbye, or its record expired.
    case vanished(CandidateKey)
    /// Browsing an interface ended.
    case browsingFailed(interface: UInt32, AvahiError)
    /// A service's address, port and TXT strings, for the first time or changed.
    case resolved(CandidateKey, ResolvedAddress, port: UInt16, strings: [[UInt8]])
    /// A service does not answer.
    case unresolved(CandidateKey, AvahiError)
}
