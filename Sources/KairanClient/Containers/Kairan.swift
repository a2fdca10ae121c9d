/// The daemon on this machine, as an application sees it.
///
/// ```swift
/// struct Note: RecordContent {
///     var title: String
///     var done = false
/// }
///
/// try await Kairan.connect { kairan in
///     let database = kairan.container("org.example.notes").privateDatabase
///     let zone = try await database.zone(named: "notes", creating: true)
///     var note = try await zone.save(TypedRecord("milk", Note(title: "Milk")))
///     note.value.done = true
///     note = try await zone.save(note)
/// }
/// ```
///
/// Every call that returns has its effect on disk, also while no other machine is in reach: the daemon brings it to the
/// others when it meets them. All calls throw ``KairanError``, or `CancellationError` when their task is cancelled; the
/// daemon then drops the request too, unless it was about to be finished.
public struct Kairan: Sendable {
    /// The whole interface of the daemon, including requests that are not for applications.
    public let client: DaemonClient

    /// Uses a client that is there already.
    public init(client: DaemonClient) {
        self.client = client
    }

    /// Runs a closure with the daemon and closes all connections afterwards.
    /// - Parameters:
    ///   - socketPath: The path of the daemon's socket.
    ///   - token: The application's token, where the daemon's configuration demands one.
    ///   - body: The closure to run.
    /// - Returns: The result of the closure.
    /// - Throws: Any error of the closure.
    public static func connect<Result>(
        socketPath: String = SocketPath.standard,
        token: String? = nil,
        _ body: (Kairan) async throws -> Result
    ) async throws -> Result {
        try await DaemonClient.withClient(socketPath: socketPath, token: token) { client in
            try await body(Kairan(client: client))
        }
    }

    /// The zones of one application.
    /// - Parameter name: Usually the application's reverse domain name; the configuration binds applications to such names.
    /// - Returns: The container. Nothing is asked yet: a container exists as soon as there is a zone in it.
    public func container(_ name: String) -> Container {
        Container(name: name, client: client)
    }

    /// The state of the daemon, as far as an application may know it.
    public func status() async throws -> BareStatus {
        try await client.bareStatus()
    }
}
