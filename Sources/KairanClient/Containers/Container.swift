/// The zones of one application.
public struct Container: Sendable {
    /// Its name, usually a reverse domain name.
    public let name: String
    let client: DaemonClient

    /// The zones of this account.
    public var privateDatabase: Database { database(.private) }
    /// The zones of other accounts that take this one in.
    public var sharedDatabase: Database { database(.shared) }
    /// The zones of any owner with public access.
    public var publicDatabase: Database { database(.public) }

    /// One view of the container.
    public func database(_ kind: Database.Kind) -> Database {
        Database(container: self, kind: kind)
    }

    /// Returns descriptions of the zones of the container in any database.
    public func zoneDescriptions() async throws -> [Zone] {
        try await client.zones().filter { $0.container.isSameName(as: name) }
    }

    /// The zones of the container, whichever database shows them.
    public func zones() async throws -> [RecordZone] {
        try await zoneDescriptions().map { RecordZone($0, client: client) }
    }

    /// A zone that this account and another one own together: neither invites, shares or deletes it, and each can leave it.
    ///
    /// Both accounts derive the same zone from their account ids and its name, regardless of which of them asks first
    /// and whether they are connected. The shared database shows it on both sides.
    /// - Parameters:
    ///   - account: The other account's id, or the beginning of it; its machines and this one's must have met.
    ///   - name: The zone's name; another one is another zone of the two.
    /// - Returns: The zone, which is made if it is not there, and returned to if it was left.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func pairZone(with account: String, named name: String = "pair") async throws -> RecordZone {
        RecordZone(try await client.pairZone(name: name, container: self.name, with: account), client: client)
    }

    /// The zone that each container has, the same on all devices of the account.
    /// - Returns: The zone, which is made if it is not there.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func defaultZone() async throws -> RecordZone {
        RecordZone(try await client.defaultZone(of: name), client: client)
    }

    /// Opens an invitation; waits a while for an answer, and the daemon goes on trying afterwards.
    /// - Parameter link: The link as it was sent.
    /// - Returns: The progress; opening the invitation again returns the newest progress. The zone may belong to
    ///   another container.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func join(_ link: String) async throws -> Join { try await client.join(link) }

    /// A zone that is known by its id, whichever database shows it.
    public func zone(id: String) -> RecordZone {
        RecordZone(id: id, client: client)
    }
}
