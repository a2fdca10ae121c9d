public import KairanClient

/// A daemon in memory, for the tests of applications: an application that is given a `Kairan` can be given this one's, and
/// needs no daemon.
///
/// ```swift
/// let daemon = MemoryDaemon()
/// let zone = try await daemon.kairan.container("org.example.notes").privateDatabase.createZone(named: "notes")
/// try await zone.save(TypedRecord("milk", Note(title: "Milk")))
/// ```
///
/// It answers the requests of the library below everything that an application calls, so that types, conflicts, sync engines and
/// subscriptions are the real ones. It has one account with one device: zones, records with versions, batches, queries, changes and
/// events. Predicates are read and evaluated by the daemon's own code. What it does not do it refuses, with the code
/// `double.unsupported`, and never leaves out: sharing, messages, schemas, indexes, assets, import and export, fields with which a record
/// is deleted, and all that an application has no access to.
///
/// It is as fast as memory, keeps nothing, and takes what all its users do one after the other. Nothing of it is meant for more than tests.
public final class MemoryDaemon: Sendable {
    private let transport = MemoryTransport()

    /// Makes a daemon without zones.
    public init() {}

    /// The daemon as an application sees it; all of these share its zones.
    public var kairan: Kairan {
        Kairan(client: DaemonClient(socketPath: MemoryTransport.socketPath, transport: transport))
    }

    /// Stops answering: streams end, and calls throw `daemon.unreachable`, as when the daemon stops.
    public func stop() { transport.stop() }

    /// Answers again, with everything that was there.
    public func start() { transport.start() }

    /// Makes all change tokens expire, as when the daemon's store is restored from a backup; streams end.
    public func expireTokens() { transport.expireTokens() }
}
