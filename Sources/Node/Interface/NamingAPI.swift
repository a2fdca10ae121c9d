package import Wire

/// What a program or a person may ask of the node about names of accounts and devices.
///
/// Names are for people. Nothing is decided by them but what a person means who types one.
package protocol NamingAPI: Sendable {
    /// The names of accounts: this one, those whose logs are known, and those with a petname.
    func accountNames() async throws(NodeError) -> AccountNames

    /// Names this account, for everybody who meets it.
    /// - Parameter name: 1 to 64 bytes.
    /// - Throws: `invalidArgument`, `deviceReadOnly`, `nameTooMany`, `forbidden`.
    func nameAccount(_ name: String) async throws(NodeError)

    /// Names a device of this account, for everybody who meets the account.
    /// - Parameters:
    ///   - device: The device, removed or not.
    ///   - name: 1 to 64 bytes.
    /// - Throws: `deviceUnknown`, `invalidArgument`, `deviceReadOnly`, `nameTooMany`, `forbidden`.
    func renameDevice(_ device: DeviceID, to name: String) async throws(NodeError)

    /// Names another account, for this one alone, on all of its devices.
    /// - Parameters:
    ///   - account: The account, as anywhere.
    ///   - petname: 1 to 64 bytes; `nil` removes the name.
    /// - Returns: What the account is called now.
    /// - Throws: `accountUnknown`, `accountAmbiguous`, `invalidArgument`, `deviceReadOnly`.
    func setPetname(of account: String, _ petname: String?) async throws(NodeError) -> NamedAccountStatus
}
