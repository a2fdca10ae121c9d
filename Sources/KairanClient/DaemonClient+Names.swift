extension DaemonClient {
    /// The names of accounts: this one, those whose devices are known, and those with a petname.
    /// - Returns: Ascending by id.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func accounts() async throws -> [NamedAccount] {
        try await value(.accounts)
    }

    /// Names this account, for all accounts that meet it.
    /// - Parameter name: 1 to 64 bytes, without characters that control or turn text.
    /// - Returns: The account.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func nameAccount(_ name: String) async throws -> Account {
        try await value(.nameAccount(name))
    }

    /// Names a device of this account, for all accounts that meet this one.
    /// - Parameters:
    ///   - device: Its id.
    ///   - name: 1 to 64 bytes, without characters that control or turn text.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func renameDevice(_ device: String, to name: String) async throws {
        _ = try await document(.renameDevice(device, to: name))
    }

    /// Sets a petname for another account, visible to this account alone, on all of its devices.
    ///
    /// Wherever names are shown or typed, the petname takes precedence over the name that the other account gives
    /// itself.
    /// - Parameters:
    ///   - account: Its id or name, or at least the first eight characters of the id.
    ///   - petname: 1 to 64 bytes, without characters that control or turn text.
    /// - Returns: The account with its new name.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func setPetname(of account: String, _ petname: String) async throws -> NamedAccount {
        try await value(.setPetname(of: account, petname))
    }

    /// Removes the petname of another account.
    /// - Parameter account: Its id or name, or at least the first eight characters of the id.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func removePetname(of account: String) async throws {
        _ = try await document(.removePetname(of: account))
    }
}
