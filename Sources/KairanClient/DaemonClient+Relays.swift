extension DaemonClient {
    /// The relays that the account uses, the preferred one first, and how it stands with them.
    public func relays() async throws -> [Relay] {
        try await value(.relays)
    }

    /// Makes all devices of the account use a relay.
    /// - Parameter link: The link from the relay's owner, a secret.
    /// - Returns: The relay.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func useRelay(_ link: String) async throws -> Relay {
        try await value(.useRelay(link))
    }

    /// Makes all devices of the account stop using a relay.
    /// - Parameter relay: Its id, or at least the first eight characters of it.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func forgetRelay(_ relay: String) async throws {
        _ = try await document(.forgetRelay(relay))
    }

    /// Returns the admissions of accounts for which this machine keeps parcels, in the order of admission.
    public func admissions() async throws -> [Admission] {
        try await value(.admissions)
    }

    /// Admits an account, so that it can leave parcels on this machine and fetch them.
    /// - Parameters:
    ///   - name: The name of the admitted account, in your words; 1 to 255 bytes.
    ///   - quota: The maximum number of bytes kept, at least 1 MiB; `nil` = 1 GiB.
    ///   - addresses: The addresses at which devices reach this machine, as "host:port", at most 8; none = the
    ///     machine's own addresses.
    /// - Returns: The admission, with the link to give to the account; later answers do not contain the link.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func admit(_ name: String, quota: Int? = nil, addresses: [String] = []) async throws -> Admission {
        try await value(.admit(name, quota: quota, addresses: addresses))
    }

    /// Ends an admission and deletes the parcels kept under it.
    /// - Parameter admission: Its id, or at least the first eight characters of it.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func dismiss(_ admission: String) async throws {
        _ = try await document(.dismiss(admission))
    }
}
