extension DaemonClient {
    /// Whether this program can work with the account now.
    public func accountAvailability() async throws -> AccountAvailability {
        try await value(.accountStatus)
    }

    /// The containers that this program may see.
    public func containers() async throws -> [ContainerSummary] {
        try await value(.containers)
    }

    /// One container.
    /// - Parameter name: Its name.
    /// - Returns: The container with its databases.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func container(_ name: String) async throws -> ContainerSummary {
        try await value(.container(name))
    }

    /// Zones that were here and are not any more.
    public func goneZones() async throws -> [GoneZone] {
        try await value(.goneZones)
    }

    /// A zone that this account and another one own together; each side makes the same one for itself.
    /// - Parameters:
    ///   - name: The zone's name; another one is another zone of the two.
    ///   - container: The container.
    ///   - account: The other account's id, or the beginning of it.
    /// - Returns: The zone, which may have been there.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func pairZone(name: String, container: String, with account: String) async throws -> Zone {
        try await value(.pairZone(name: name, container: container, with: account))
    }

    /// A container's default zone, which is made if it is not there.
    ///
    /// All devices of the account find the same one. It can also be named by the container, a slash and `default`.
    /// - Parameter container: The container.
    /// - Returns: The zone.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func defaultZone(of container: String) async throws -> Zone {
        try await value(.defaultZone(of: container))
    }
}
