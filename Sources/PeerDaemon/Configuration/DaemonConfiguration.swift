import Configuration
import LocalAPI
import Logging
import Node
import Wire

/// The settings of the daemon from flags, the environment, files and defaults, in this order of precedence.
struct DaemonConfiguration: Sendable, Equatable {
    /// The directory of keys and data.
    var state: String
    /// The path of the socket to which programs and people connect.
    var socket: String
    /// The addresses to which peers connect; a port of 0 is chosen by the system and announced.
    var listen: [ListenAddress]
    /// Peers to dial regardless of mDNS.
    var peers: [PeerAddress]
    /// Whether to publish and browse through Avahi.
    var usesMulticastDNS: Bool
    /// The only interfaces to use for mDNS; empty = all that are fit.
    var interfaces: [String]
    /// Members of this group may use the socket besides root and the daemon's own user.
    var group: String?
    /// The sources of the secret that opens the seal of the state directory; only the command line and the
    /// environment determine whether to ask a person, and the directory of the service's credentials.
    var secretSources = SecretSources()
    /// The path of a token file that adds this machine to an account; the file need not exist.
    var enrolmentTokenFile: String
    /// The directory of the applications' files, one file for each; `nil` = there are none.
    var applicationDirectory: String?
    /// The programs that may use containers, and which ones; read from ``applicationDirectory`` by the code that
    /// reads files.
    var applications = ApplicationFiles()
    /// Whether every process on this machine may ask for version and state.
    var showsStatusToOthers: Bool
    /// The maximum number of bytes that a relay keeps for other accounts, beside records; `nil` = a relay's default.
    var relayByteCountMax: UInt64?
    /// The time to wait for a device before leaving a parcel for it with a relay; `nil` for ten seconds.
    var relayGraceSeconds: UInt64?
    /// Whether this machine keeps parcels for other accounts.
    var isRelay: Bool
    /// The addresses at which the devices connect whose parcels are kept.
    var relayListen: [ListenAddress]
    /// The addresses at which those devices reach this machine, as "host:port"; empty = the machine's own addresses.
    var relayAddresses: [String]
    /// The file with the relay's key, for several front ends that are one relay; `nil` = one in the state directory.
    var relayKeyFile: String?
    /// The servers of the cluster that keeps the parcels; none = a database of this machine.
    var relayServers: ServerList
    /// The same servers with a user that may query their configuration.
    var relayObservers: ServerList
    /// The certificates of the authorities that sign the servers' certificates; `nil` for those that the machine
    /// trusts.
    var relayAuthorityFile: String?
    /// Whether to refuse to start with a cluster that is not known to be safe.
    var demandsSafeCluster: Bool
    /// The folders whose files can be linked, in place of being copied into the store.
    var linkedRoots: [String]
    /// The log level.
    var logLevel: Logger.Level
    /// The place of each of these settings.
    let places: SettingPlaces

    /// Whether no flag, variable or file sets the directory of keys and data.
    var hasDefaultState: Bool { !places.named.contains("state") }
    /// Whether no flag, variable or file sets the socket.
    var hasDefaultSocket: Bool { !places.named.contains("socket") }

    /// Whether no flag, variable or file sets the addresses for peers.
    var hasDefaultListen: Bool { !places.named.contains("listen") }

    /// The default port for peers: a fixed one, so that a firewall can name it.
    static let defaultPort: UInt16 = 7_621

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

    /// Every key with its allowed values, for messages.
    static let keys: [String: KnownKey] = [
        "state": KnownKey(.text, "a directory, as an absolute path"),
        "socket": KnownKey(
            .text,
            "an absolute path of 1 to \(socketByteCountMax) bytes, at which there is no file or an old socket"
        ),
        "listen": KnownKey(.list, "a list of ADDRESS:PORT, numeric as in [\"[::]:7621\", \"192.0.2.1:7070\"]"),
        "peers": KnownKey(.list, "a list of HOST:PORT"),
        "mdns": KnownKey(.flag, "true or false"),
        "interfaces": KnownKey(.list, "a list of interface names, each of 1 to 15 bytes"),
        "group": KnownKey(.text, "the name of a group"),
        "passphrase-file": KnownKey(.text, "a path"),
        "enrolment-token": KnownKey(.text, "a path"),
        "applications": KnownKey(.text, "a directory of files NAME.yaml, one for each application"),
        "status-for-others": KnownKey(.flag, "true or false"),
        "linked-roots": KnownKey(
            .list,
            "a list of directories, as absolute paths without links, none beneath another one"
        ),
        "relay-storage-limit": KnownKey(.number, "a number of bytes"),
        "relay-grace": KnownKey(.number, "a number of seconds, at most 86400"),
        "relay": KnownKey(.flag, "true or false"),
        "relay-listen": KnownKey(.list, "a list of ADDRESS:PORT, numeric as in [\"[::]:7620\", \"192.0.2.1:7620\"]"),
        "relay-address": KnownKey(.list, "a list of HOST:PORT"),
        "relay-key-file": KnownKey(.text, "a path"),
        "relay-storage": KnownKey(.list, "a list of nats://HOST:PORT or tls://HOST:PORT"),
        "relay-storage-observers": KnownKey(.list, "a list of nats://HOST:PORT or tls://HOST:PORT"),
        "relay-storage-authority": KnownKey(.text, "a path"),
        "relay-storage-strict": KnownKey(.flag, "true or false"),
        "log-level": KnownKey(.text, Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")),
    ]

    /// The refusal of a configuration, which names the source, the key and the allowed values.
    struct Refusal: Error, CustomStringConvertible, Equatable {
        /// The whole message.
        var description: String
    }

    /// Reads the layers.
    /// - Parameters:
    ///   - flags: The settings given on the command line, by key.
    ///   - environment: The process's environment.
    ///   - files: The files in rising precedence; a later one wins.
    ///   - defaults: The default places of state and socket.
    /// - Throws: `Refusal` for the first wrong value.
    init(
        flags: [String: ConfigValue],
        environment: [String: String],
        files: [ConfigurationFile],
        defaults: (state: String, socket: String)
    ) throws(Refusal) {
        let reader = SettingReader(flags: flags, environment: environment, files: files)
        places = reader.places
        state = try reader.path("state") ?? defaults.state
        socket = try reader.path("socket") ?? defaults.socket
        listen = try reader.list("listen", default: ["[::]:\(Self.defaultPort)"]) { SettingReader.listenAddress($0) }
        peers = try reader.list("peers") { SettingReader.peerAddress($0) }
        usesMulticastDNS = try reader.flag("mdns") ?? true
        interfaces = try reader.list("interfaces") { SettingReader.interfaceName($0) }
        group = reader.text("group")
        secretSources.passphraseFile = try reader.path("passphrase-file")
        secretSources.credentialDirectory = environment["CREDENTIALS_DIRECTORY"]
        enrolmentTokenFile = try reader.path("enrolment-token") ?? state + "/enrolment-token"
        applicationDirectory = try reader.path("applications")
        showsStatusToOthers = try reader.flag("status-for-others") ?? false
        isRelay = try reader.flag("relay") ?? false
        relayListen = try reader.list("relay-listen", default: ["[::]:7620"]) { SettingReader.listenAddress($0) }
        relayAddresses = try reader.list("relay-address") { text in
            SettingReader.peerAddress(text).map { _ in text }
        }
        relayKeyFile = try reader.path("relay-key-file")
        relayServers = try reader.servers("relay-storage")
        relayObservers = try reader.servers("relay-storage-observers")
        relayAuthorityFile = try reader.path("relay-storage-authority")
        demandsSafeCluster = try reader.flag("relay-storage-strict") ?? false
        linkedRoots = try reader.list("linked-roots") { SettingReader.directory($0) }
        relayByteCountMax = try reader.number("relay-storage-limit")
        relayGraceSeconds = try reader.number("relay-grace", most: 86_400)
        let level = reader.text("log-level") ?? Logger.Level.info.rawValue
        guard let known = Logger.Level(rawValue: level) else {
            throw places.refusal("log-level", value: "\"\(level)\"")
        }
        logLevel = known
    }
}
