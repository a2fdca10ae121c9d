extension DaemonRequest {
    /// The names of accounts.
    package static var accounts: DaemonRequest { DaemonRequest(.get, ["accounts"]) }

    /// The name of this account.
    package static func nameAccount(_ name: String) -> DaemonRequest {
        DaemonRequest(.put, ["account", "name"], body: ["name": .string(name)])
    }

    /// The name of a device of this account.
    package static func renameDevice(_ device: String, to name: String) -> DaemonRequest {
        DaemonRequest(.put, ["devices", device, "name"], body: ["name": .string(name)])
    }

    /// The petname of another account.
    package static func setPetname(of account: String, _ petname: String) -> DaemonRequest {
        DaemonRequest(.put, ["accounts", account, "petname"], body: ["petname": .string(petname)])
    }

    /// The end of a petname.
    package static func removePetname(of account: String) -> DaemonRequest {
        DaemonRequest(.delete, ["accounts", account, "petname"])
    }
}
