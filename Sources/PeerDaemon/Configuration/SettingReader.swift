import Configuration
import Glibc
import Node

/// Reads settings out of their layers, and refuses values that could never work, naming their place.
struct SettingReader {
    private let reader: ConfigReader
    /// The places of the settings.
    let places: SettingPlaces

    /// Puts the layers on top of each other.
    /// - Parameters:
    ///   - flags: The settings given on the command line, by key.
    ///   - environment: The process's environment.
    ///   - files: The files in rising precedence; a later one wins.
    init(flags: [String: ConfigValue], environment: [String: String], files: [ConfigurationFile]) {
        var providers: [any ConfigProvider] = [
            InMemoryProvider(name: "command line", values: Self.absolute(flags)),
            EnvironmentVariablesProvider(environmentVariables: environment),
        ]
        for file in files.reversed() {
            providers.append(InMemoryProvider(name: file.path, values: Self.absolute(file.values)))
        }
        reader = ConfigReader(providers: providers).scoped(to: "kairan")
        places = SettingPlaces(flags: flags, environment: environment, files: files)
    }

    /// Returns a text setting, unchanged.
    func text(_ key: String) -> String? { reader.string(forKey: ConfigKey(key)) }

    /// An absolute path.
    /// - Throws: `DaemonConfiguration.Refusal` for a relative one, and one with a byte that no path has.
    func path(_ key: String) throws(DaemonConfiguration.Refusal) -> String? {
        guard let path = text(key) else { return nil }
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw places.refusal(key, " must be an absolute path; got \(path)")
        }
        return path
    }

    /// Returns a setting that is true or false; any other word is an error, and not a missing setting.
    /// - Throws: `DaemonConfiguration.Refusal`.
    func flag(_ key: String) throws(DaemonConfiguration.Refusal) -> Bool? {
        if let value = reader.bool(forKey: ConfigKey(key)) { return value }
        guard let text = text(key) else { return nil }
        throw places.refusal(key, value: "\"\(text)\"")
    }

    /// A setting that is a number, from zero on.
    /// - Throws: `DaemonConfiguration.Refusal`.
    func number(_ key: String, most: Int = .max) throws(DaemonConfiguration.Refusal) -> UInt64? {
        let value = reader.int(forKey: ConfigKey(key))
        if let value, (0...most).contains(value) { return UInt64(value) }
        guard let text = text(key) ?? value.map({ "\($0)" }) else { return nil }
        throw places.refusal(key, value: "\"\(text)\"")
    }

    /// A list of texts, each of which is converted.
    /// - Throws: `DaemonConfiguration.Refusal` for the first text that cannot be converted.
    func list<Value>(
        _ key: String,
        default texts: [String] = [],
        _ parse: (String) -> Value?
    ) throws(DaemonConfiguration.Refusal) -> [Value] {
        var values: [Value] = []
        for text in reader.stringArray(forKey: ConfigKey(key)) ?? texts {
            guard let value = parse(text) else { throw places.refusal(key, value: "\"\(text)\"") }
            values.append(value)
        }
        return values
    }

    /// Returns a list of servers; an error does not repeat a wrong server, because its text may contain a password.
    /// - Throws: `DaemonConfiguration.Refusal`.
    func servers(_ key: String) throws(DaemonConfiguration.Refusal) -> DaemonConfiguration.ServerList {
        let texts = reader.stringArray(forKey: ConfigKey(key)) ?? []
        guard texts.allSatisfy(Self.isServer) else { throw places.refusal(key, value: "a server") }
        return DaemonConfiguration.ServerList(addresses: texts)
    }

    // MARK: Values

    /// An address to listen on.
    ///
    /// A host name is none: it may have several addresses, or another one tomorrow.
    static func listenAddress(_ text: String) -> DaemonConfiguration.ListenAddress? {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        guard isNumeric(host) else { return nil }
        return DaemonConfiguration.ListenAddress(host: String(host), port: port)
    }

    /// An address to call: a numeric one, or a name that a resolver could know.
    static func peerAddress(_ text: String) -> PeerAddress? {
        guard let address = PeerAddress(text), isHost(address.host) else { return nil }
        return address
    }

    /// An absolute path of a directory, without a separator at its end, and without empty names, `.` and `..`.
    static func directory(_ text: String) -> String? {
        guard text.hasPrefix("/"), !text.utf8.contains(0), text.utf8.count < 4_096 else { return nil }
        let names = text.split(separator: "/")
        guard !names.isEmpty, !names.contains("."), !names.contains("..") else { return nil }
        return "/" + names.joined(separator: "/")
    }

    /// A name that the kernel could give to an interface, by its rule (`dev_valid_name`).
    static func interfaceName(_ text: String) -> String? {
        guard (1...15).contains(text.utf8.count), text != ".", text != ".." else { return nil }
        let isForbidden: (UInt8) -> Bool = { $0 <= 0x20 || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") }
        return text.utf8.contains(where: isForbidden) ? nil : text
    }

    private static func isServer(_ text: String) -> Bool {
        guard let scheme = ["nats://", "tls://"].first(where: text.hasPrefix) else { return false }
        let rest = text.dropFirst(scheme.count)
        // A password may have an @ of its own.
        let place = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
        return peerAddress(String(place)) != nil || isHost(String(place))
    }

    private static func isHost(_ host: String) -> Bool {
        if host.contains(":") || host.allSatisfy({ $0 == "." || $0.isASCII && $0.isNumber }) {
            return isNumeric(host)
        }
        return host.utf8.count <= 253
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                // A name in another script, which the resolver may know how to write.
                default: byte >= 0x80
                }
            }
    }

    private static func isNumeric(_ host: some StringProtocol) -> Bool {
        // A zero byte would end it for the system's function, by which the socket's address is made of it later as well.
        guard !host.utf8.contains(0) else { return false }
        return [AF_INET, AF_INET6].contains { family in
            withUnsafeTemporaryAllocation(byteCount: 16, alignment: 4) { address in
                inet_pton(family, String(host), address.baseAddress) == 1
            }
        }
    }

    private static func absolute(_ values: [String: ConfigValue]) -> [AbsoluteConfigKey: ConfigValue] {
        Dictionary(uniqueKeysWithValues: values.map { (AbsoluteConfigKey(["kairan", $0.key]), $0.value) })
    }
}
