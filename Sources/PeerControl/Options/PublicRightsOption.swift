import ArgumentParser
import KairanClient

/// Public rights, as written on the command line.
struct PublicRightsOption: ExpressibleByArgument, Hashable {
    /// The rights.
    var names: [PublicAccess.Right]

    init?(argument: String) {
        names =
            argument == "none"
            ? []
            : argument.split(separator: ",", omittingEmptySubsequences: false).map { .init(rawValue: String($0)) }
        guard names.allSatisfy(PublicAccess.Right.known.contains) else { return nil }
    }

    static var allValueStrings: [String] { ["none"] + PublicAccess.Right.known.map(\.rawValue) }
}
