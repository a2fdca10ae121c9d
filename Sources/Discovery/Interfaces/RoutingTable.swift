/// The kernel's routes, as far as they show through which interface everything else is reached.
enum RoutingTable {
    /// The interfaces with a default route.
    static func defaultInterfaces() -> Set<String> {
        interfaces(
            ipv4: ShortFile.text("/proc/self/net/route") ?? "",
            ipv6: ShortFile.text("/proc/self/net/ipv6_route") ?? ""
        )
    }

    /// Reads the tables.
    /// - Parameters:
    ///   - ipv4: A heading, then lines of: interface, destination, gateway, flags, three numbers, mask.
    ///   - ipv6: Lines of: destination, its length, source, its length, next hop, three numbers, flags, interface.
    /// - Returns: The interfaces of the routes to everywhere that are up and lead somewhere.
    static func interfaces(ipv4: String, ipv6: String) -> Set<String> {
        var names: Set<String> = []
        for line in ipv4.split(separator: "\n").dropFirst() {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count >= 8, words[1] == "00000000", words[7] == "00000000", isUsed(words[3]) else { continue }
            names.insert(String(words[0]))
        }
        for line in ipv6.split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count >= 10, words[1] == "00", words[0].allSatisfy({ $0 == "0" }), isUsed(words[8]) else {
                continue
            }
            names.insert(String(words[9]))
        }
        return names
    }

    private static func isUsed(_ flags: Substring) -> Bool {
        // RTF_UP and RTF_REJECT of linux/route.h.
        UInt32(flags, radix: 16).map { $0 & 0x1 != 0 && $0 & 0x200 == 0 } ?? false
    }
}
