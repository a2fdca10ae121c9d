internal import Node

/// A connection to the mDNS daemon; a seam, so that the decisions can be tested without a daemon.
///
/// Used from one thread only. Every call may block for as long as the daemon takes to answer.
protocol DaemonConnection: AnyObject {
    /// Returns the occurrences since the last call, in order.
    func takeOccurrences() -> [DaemonOccurrence]

    /// Begins to look for services on an interface.
    func browse(on interface: UInt32) throws(AvahiError)

    /// Ends looking; nothing when it had not begun.
    func stopBrowsing(on interface: UInt32)

    /// Asks for a service's address and keeps asking, so that changes are reported as well.
    func resolve(_ key: CandidateKey) throws(AvahiError)

    /// Ends asking; nothing when it had not begun.
    func stopResolving(_ key: CandidateKey)

    /// Puts a service on the air on an interface, instead of the one published there before.
    func publish(_ advertisement: ServiceAdvertisement, on interface: UInt32) throws(AvahiError)

    /// Takes a service off the air; nothing when there was none.
    func withdraw(on interface: UInt32)

    /// Ends everything; no call may follow.
    func close()
}
