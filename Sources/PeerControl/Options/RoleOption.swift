import ArgumentParser

/// What a new device may do, as it is written on the command line.
enum RoleOption: String, ExpressibleByArgument, CaseIterable {
    case full
    case readOnly = "read-only"
    case relayOnly = "relay-only"

    /// As the daemon writes it.
    var interfaceText: String { rawValue.replacing("-", with: "_") }
}
