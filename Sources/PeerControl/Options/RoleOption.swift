import ArgumentParser

/// The role of a new device, as written on the command line.
enum RoleOption: String, ExpressibleByArgument, CaseIterable {
    case full
    case readOnly = "read-only"
    case relayOnly = "relay-only"

    /// As the daemon writes it.
    var interfaceText: String { rawValue.replacing("-", with: "_") }
}
