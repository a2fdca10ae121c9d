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
/// events, and assets, whose content is always present. The daemon's own code reads and evaluates predicates. The double
/// refuses all other requests, with the code `double.unsupported`, and never ignores a part of one: sharing, messages,
/// schemas, indexes, import and export, the reasons for the state of an asset, fields with which a record is deleted, and
/// all requests that an application may not make.
///
/// It is as fast as memory, keeps nothing on disk, and carries out the requests of all its users one after the other.
/// It is meant for tests only.
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
