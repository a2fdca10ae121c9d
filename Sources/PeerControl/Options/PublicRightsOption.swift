import ArgumentParser

/// Public rights, as written on the command line.
struct PublicRightsOption: ExpressibleByArgument, Hashable {
    /// The names, as the daemon writes them.
    var names: [String]

    init?(argument: String) {
        names =
            argument == "none" ? [] : argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.allSatisfy(["read", "create", "write"].contains) else { return nil }
    }

    static var allValueStrings: [String] { ["none", "read", "create", "write"] }
}
