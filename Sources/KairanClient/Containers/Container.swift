/// The zones of one application.
public struct Container: Sendable {
    /// Its name, usually a reverse domain name.
    public let name: String
    let client: DaemonClient

    /// The zones of this account.
    public var privateDatabase: Database { database(.private) }
    /// The zones of other accounts that take this one in.
    public var sharedDatabase: Database { database(.shared) }
    /// The zones, whoever owns them, in which everybody may do something.
    public var publicDatabase: Database { database(.public) }

    /// One view of the container.
    public func database(_ kind: Database.Kind) -> Database {
        Database(container: self, kind: kind)
    }

    /// What is known of the zones of the container, whichever database shows them.
    public func zoneDescriptions() async throws -> [Zone] {
        try await client.zones().filter { $0.container == name }
    }

    /// The zones of the container, whichever database shows them.
    public func zones() async throws -> [RecordZone] {
        try await zoneDescriptions().map { RecordZone($0, client: client) }
    }

    /// Opens an invitation; waits a while for an answer, and the daemon goes on trying afterwards.
    /// - Parameter link: The link as it was sent.
    /// - Returns: How far it has come; opening it again tells how it stands. The zone may be one of another container.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func join(_ link: String) async throws -> Join { try await client.join(link) }

    /// A zone that is known by its id, whichever database shows it.
    public func zone(id: String) -> RecordZone {
        RecordZone(id: id, client: client)
    }
}
