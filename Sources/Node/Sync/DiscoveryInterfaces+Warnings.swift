extension DiscoveryInterfaces {
    private static let noInterfaceCode = "mdns.no_interface"
    private static let leftOutCode = "mdns.interfaces_left_out"
    /// The codes of all warnings that ``warnings`` may have.
    static let warningCodes = [noInterfaceCode, leftOutCode]

    /// The raised warnings: mDNS is used nowhere although there are interfaces, or not on all that are fit.
    var warnings: [HealthWarning] {
        var warnings: [HealthWarning] = []
        if used.isEmpty, !leftAlone.isEmpty {
            // No more than info: a laptop that is off its network has only the bridges of its containers.
            warnings.append(
                HealthWarning(
                    code: Self.noInterfaceCode,
                    severity: .info,
                    message: "mDNS is used on no interface: \(Self.list(leftAlone.map(\.description), between: "; ")).",
                    fix:
                        "If one of them leads to your other machines, name it: `interfaces: [NAME]` or --interface NAME."
                )
            )
        }
        if !leftOut.isEmpty {
            let names = Self.list(leftOut, between: ", ")
            warnings.append(
                HealthWarning(
                    code: Self.leftOutCode,
                    severity: .warning,
                    message:
                        "Of \(used.count + leftOut.count) interfaces that are suitable for mDNS, \(used.count) are used. "
                        + "Left out are \(names).",
                    fix: "Name those that lead to your other machines: `interfaces: [NAME, …]` or --interface NAME."
                )
            )
        }
        return warnings
    }

    /// The beginning of a list, which may have hundreds of entries.
    private static func list(_ words: [String], between separator: String) -> String {
        let shown = words.prefix(8).joined(separator: separator)
        return words.count > 8 ? "\(shown) and \(words.count - 8) more" : shown
    }
}
