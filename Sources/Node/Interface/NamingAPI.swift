package import Wire

/// The node's interface for the names of accounts and devices.
///
/// Names are for people. The node uses them only to find the account or device that a person means by a typed name.
package protocol NamingAPI: Sendable {
    /// The names of accounts: this one, those whose logs are known, and those with a petname.
    func accountNames() async throws(NodeError) -> AccountNames

    /// Names this account, for every account that meets it.
    /// - Parameter name: 1 to 64 bytes.
    /// - Throws: `invalidArgument`, `deviceReadOnly`, `nameTooMany`, `forbidden`.
    func nameAccount(_ name: String) async throws(NodeError)

    /// Names a device of this account, for every account that meets this one.
    /// - Parameters:
    ///   - device: The device, removed or not.
    ///   - name: 1 to 64 bytes.
    /// - Throws: `deviceUnknown`, `invalidArgument`, `deviceReadOnly`, `nameTooMany`, `forbidden`.
    func renameDevice(_ device: DeviceID, to name: String) async throws(NodeError)

    /// Names another account, for this one alone, on all of its devices.
    /// - Parameters:
    ///   - account: The account, as anywhere.
    ///   - petname: 1 to 64 bytes; `nil` removes the name.
    /// - Returns: The names of the account now.
    /// - Throws: `accountUnknown`, `accountAmbiguous`, `invalidArgument`, `deviceReadOnly`.
    func setPetname(of account: String, _ petname: String?) async throws(NodeError) -> NamedAccountStatus
}
