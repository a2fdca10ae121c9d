import Configuration
import LocalAPI
import Logging
import Node
import Wire

/// What the daemon was told to do, from flags, the environment, files and defaults, in this order of precedence.
struct DaemonConfiguration: Sendable, Equatable {
    /// Where keys and data live.
    var state: String
    /// Where programs and people connect.
    var socket: String
    /// Where peers connect; a port of 0 is chosen by the system and announced.
    var listen: [ListenAddress]
    /// Peers to dial whatever mDNS says.
    var peers: [PeerAddress]
    /// Whether to publish and browse through Avahi.
    var usesMulticastDNS: Bool
    /// The only interfaces to use for mDNS; empty = all that are fit.
    var interfaces: [String]
    /// Members of this group may use the socket besides root and the daemon's own user.
    var group: String?
    /// What opens the seal of the state directory; whether to ask a person, and where the service's credentials are, only the
    /// command line and the environment say.
    var secretSources = SecretSources()
    /// Where somebody may put a token that brings this machine into an account.
    var enrolmentTokenFile: String
    /// Where the files of the applications are, one a file; `nil` = there are none.
    var applicationDirectory: String?
    /// Which programs may use which containers; read from ``applicationDirectory`` by whoever reads files.
    var applications: [ApplicationBinding] = []
    /// Whether anybody on this machine may ask for version and state.
    var showsStatusToOthers: Bool
    /// Bytes that a relay keeps for others at most, beside records; `nil` = as many as a relay does.
    var relayByteCountMax: UInt64?
    /// How long a device is waited for before something is left with a relay for it; `nil` for ten seconds.
    var relayGraceSeconds: UInt64?
    /// Whether parcels are kept for others.
    var isRelay: Bool
    /// Where those connect whose parcels are kept.
    var relayListen: [ListenAddress]
    /// Where they reach this machine, as "host:port"; empty = at its addresses.
    var relayAddresses: [String]
    /// The file with what the relay is known by, where several front ends are one relay; `nil` = one in the state directory.
    var relayKeyFile: String?
    /// The servers of the cluster that parcels are kept in; none = a database of this machine.
    var relayServers: ServerList
    /// The same servers with a user who may ask how they are set up.
    var relayObservers: ServerList
    /// Certificates of those who sign the servers'; `nil` for those that the machine trusts.
    var relayAuthorityFile: String?
    /// Whether not to start over a cluster of which it is not known that it is safe.
    var demandsSafeCluster: Bool
    /// What is logged.
    var logLevel: Logger.Level

    /// Servers of a cluster; there may be passwords in their addresses, so nothing of them is printed.
    struct ServerList: Sendable, Equatable, UnprintedSecret {
        /// As they were given.
        var addresses: [String]

        var description: String { "\(addresses.count) servers" }
    }

    /// A host and a port to listen on.
    struct ListenAddress: Sendable, Equatable {
        /// A numeric address.
        var host: String
        /// 0...65,535.
        var port: UInt16
    }

    /// Every key with what it takes, for messages.
    static let keys: [String: KnownKey] = [
        "state": KnownKey(.text, "a directory"),
        "socket": KnownKey(.text, "a path"),
        "listen": KnownKey(.list, "a list of HOST:PORT, for example [\"[::]:0\"]"),
        "peers": KnownKey(.list, "a list of HOST:PORT"),
        "mdns": KnownKey(.flag, "true or false"),
        "interfaces": KnownKey(.list, "a list of interface names"),
        "group": KnownKey(.text, "the name of a group"),
        "passphrase-file": KnownKey(.text, "a path"),
        "enrolment-token": KnownKey(.text, "a path"),
        "applications": KnownKey(.text, "a directory of files NAME.yaml, one an application"),
        "status-for-others": KnownKey(.flag, "true or false"),
        "relay-storage-limit": KnownKey(.number, "a number of bytes"),
        "relay-grace": KnownKey(.number, "a number of seconds, at most 86400"),
        "relay": KnownKey(.flag, "true or false"),
        "relay-listen": KnownKey(.list, "a list of HOST:PORT, for example [\"[::]:7620\"]"),
        "relay-address": KnownKey(.list, "a list of HOST:PORT"),
        "relay-key-file": KnownKey(.text, "a path"),
        "relay-storage": KnownKey(.list, "a list of nats://HOST:PORT or tls://HOST:PORT"),
        "relay-storage-observers": KnownKey(.list, "a list of nats://HOST:PORT or tls://HOST:PORT"),
        "relay-storage-authority": KnownKey(.text, "a path"),
        "relay-storage-strict": KnownKey(.flag, "true or false"),
        "log-level": KnownKey(.text, Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")),
    ]

    /// Why a configuration was refused: names the source, the key and what is allowed.
    struct Refusal: Error, CustomStringConvertible, Equatable {
        /// The whole message.
        var description: String
    }

    /// Reads the layers.
    /// - Parameters:
    ///   - flags: What was given on the command line, by key.
    ///   - environment: The process's environment.
    ///   - files: The files in rising precedence; a later one wins.
    ///   - defaults: Where state and socket are when nobody says so.
    /// - Throws: `Refusal` for the first wrong value.
    init(
        flags: [String: ConfigValue],
        environment: [String: String],
        files: [ConfigurationFile],
        defaults: (state: String, socket: String)
    ) throws(Refusal) {
        var providers: [any ConfigProvider] = [
            InMemoryProvider(name: "command line", values: Self.absolute(flags)),
            EnvironmentVariablesProvider(environmentVariables: environment),
        ]
        for file in files.reversed() {
            providers.append(InMemoryProvider(name: file.path, values: Self.absolute(file.values)))
        }
        let reader = ConfigReader(providers: providers).scoped(to: "kairan")
        state = reader.string(forKey: "state") ?? defaults.state
        socket = reader.string(forKey: "socket") ?? defaults.socket
        listen = try Self.each(reader.stringArray(forKey: "listen") ?? ["[::]:0"], "listen") { text in
            Self.listenAddress(text)
        }
        peers = try Self.each(reader.stringArray(forKey: "peers") ?? [], "peers") { PeerAddress($0) }
        usesMulticastDNS = try Self.flag("mdns", reader) ?? true
        interfaces = reader.stringArray(forKey: "interfaces") ?? []
        group = reader.string(forKey: "group")
        secretSources.passphraseFile = reader.string(forKey: "passphrase-file")
        secretSources.credentialDirectory = environment["CREDENTIALS_DIRECTORY"]
        enrolmentTokenFile = reader.string(forKey: "enrolment-token") ?? state + "/enrolment-token"
        applicationDirectory = reader.string(forKey: "applications")
        showsStatusToOthers = try Self.flag("status-for-others", reader) ?? false
        isRelay = try Self.flag("relay", reader) ?? false
        relayListen = try Self.each(reader.stringArray(forKey: "relay-listen") ?? ["[::]:7620"], "relay-listen") {
            Self.listenAddress($0)
        }
        relayAddresses = try Self.each(reader.stringArray(forKey: "relay-address") ?? [], "relay-address") { text in
            PeerAddress(text).map { _ in text }
        }
        relayKeyFile = reader.string(forKey: "relay-key-file")
        relayServers = try Self.servers("relay-storage", reader)
        relayObservers = try Self.servers("relay-storage-observers", reader)
        relayAuthorityFile = reader.string(forKey: "relay-storage-authority")
        demandsSafeCluster = try Self.flag("relay-storage-strict", reader) ?? false
        relayByteCountMax = try Self.number("relay-storage-limit", reader)
        relayGraceSeconds = try Self.number("relay-grace", reader, most: 86_400)
        let level = reader.string(forKey: "log-level") ?? Logger.Level.info.rawValue
        logLevel = try Self.each([level], "log-level") { Logger.Level(rawValue: $0) }.first ?? .info
        let paths = [
            ("state", state), ("socket", socket), ("enrolment-token", enrolmentTokenFile),
            ("passphrase-file", secretSources.passphraseFile), ("relay-key-file", relayKeyFile),
            ("relay-storage-authority", relayAuthorityFile),
        ]
        for (key, path) in paths {
            guard let path, !path.hasPrefix("/") else { continue }
            throw Refusal(description: "\(key) must be an absolute path; got \(path)")
        }
    }

    private static func absolute(_ values: [String: ConfigValue]) -> [AbsoluteConfigKey: ConfigValue] {
        Dictionary(uniqueKeysWithValues: values.map { (AbsoluteConfigKey(["kairan", $0.key]), $0.value) })
    }

    /// A setting that is true or false; a word that is neither counts as a mistake, not as nothing said.
    private static func flag(_ key: String, _ reader: ConfigReader) throws(Refusal) -> Bool? {
        if let value = reader.bool(forKey: ConfigKey(key)) { return value }
        guard let text = reader.string(forKey: ConfigKey(key)) else { return nil }
        throw Refusal(description: "\(key): \"\(text)\" is not valid; allowed: \(keys[key]?.allowed ?? "")")
    }

    /// A setting that is a number, from zero on.
    private static func number(
        _ key: String,
        _ reader: ConfigReader,
        most: Int = .max
    ) throws(Refusal) -> UInt64? {
        let value = reader.int(forKey: ConfigKey(key))
        if let value, (0...most).contains(value) { return UInt64(value) }
        guard let text = reader.string(forKey: ConfigKey(key)) ?? value.map({ "\($0)" }) else { return nil }
        throw Refusal(description: "\(key): \"\(text)\" is not valid; allowed: \(keys[key]?.allowed ?? "")")
    }

    /// A list of servers; what is said of a wrong one does not repeat it, since there may be a password in it.
    private static func servers(_ key: String, _ reader: ConfigReader) throws(Refusal) -> ServerList {
        let texts = reader.stringArray(forKey: ConfigKey(key)) ?? []
        guard texts.allSatisfy({ $0.hasPrefix("nats://") || $0.hasPrefix("tls://") }) else {
            throw Refusal(description: "\(key): a server is not valid; allowed: \(keys[key]?.allowed ?? "")")
        }
        return ServerList(addresses: texts)
    }

    private static func each<Value>(
        _ texts: [String],
        _ key: String,
        _ parse: (String) -> Value?
    ) throws(Refusal) -> [Value] {
        var values: [Value] = []
        for text in texts {
            guard let value = parse(text) else {
                throw Refusal(description: "\(key): \"\(text)\" is not valid; allowed: \(keys[key]?.allowed ?? "")")
            }
            values.append(value)
        }
        return values
    }

    private static func listenAddress(_ text: String) -> ListenAddress? {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        return host.isEmpty ? nil : ListenAddress(host: String(host), port: port)
    }
}
