import KairanClient

/// Labels of accounts, devices or zones for people: the name, followed by the beginning of the id if the name is not
/// enough.
struct Labels: Sendable, Hashable {
    private let labels: [String: Label]

    private struct Label: Sendable, Hashable {
        var name: String
        /// Whether no other thing has this name, or an id that begins with it.
        var isEnough: Bool
    }

    /// Something with an id that may have a name.
    struct Thing: Sendable, Hashable {
        /// The id.
        var id: String
        /// The name; `nil` and empty for none.
        var name: String?
    }

    /// Labels for nothing.
    static let none = Labels([Thing]())

    /// Makes the labels.
    ///
    /// Names that cannot be told apart at a glance are treated as equal, as those that differ in invisible characters, in capital
    /// letters, or in letters of several scripts that look the same: every account can choose its name freely.
    /// - Parameter things: All things of a kind that are known, each id once.
    /// - Complexity: O(things²) string comparisons at worst, for names that look like the beginning of an id.
    init(_ things: [Thing]) {
        let named = things.compactMap { thing in
            thing.name.flatMap { $0.isEmpty ? nil : (id: thing.id, name: Table.visible($0)) }
        }
        let looks = named.map { LookAlikes.looks($0.name) }
        let ids = things.map { LookAlikes.skeleton($0.id) }
        var bearers: [String: Int] = [:]
        for look in looks.joined() { bearers[look, default: 0] += 1 }
        labels = zip(named, looks).reduce(into: [:]) { labels, row in
            let (thing, looks) = row
            let isEnough = looks.allSatisfy { look in
                bearers[look] == 1 && !ids.contains { $0.hasPrefix(look) }
            }
            labels[thing.id] = Label(name: thing.name, isEnough: isEnough)
        }
    }

    /// Makes the labels of accounts.
    init(_ accounts: [NamedAccount]) {
        self.init(accounts.map { Thing(id: $0.account, name: $0.name) })
    }

    /// Returns a normalised form of a name, as it is compared with a typed one: without capital letters.
    static func look(_ name: String) -> String { spaced(name.lowercased()) }

    /// Returns a name with single spaces between its words.
    static func spaced(_ name: String) -> String {
        name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Returns whether a thing has a name here.
    func contains(_ id: String) -> Bool { labels[id] != nil }

    /// The name of a thing with the id behind it where that is needed.
    /// - Parameters:
    ///   - id: The thing.
    ///   - shown: How its id is shown.
    /// - Returns: `nil` for a thing without a name.
    func text(of id: String, shown: String) -> String? {
        labels[id].map { $0.isEnough ? $0.name : "\($0.name) (\(shown))" }
    }
}

extension Style {
    /// An account: its name, or its id.
    func account(_ account: String) -> String { label(of: account, in: accounts) }

    /// A device: its name with the account if that is another one, or its id.
    func device(_ device: String) -> String { label(of: device, in: devices) }

    /// A device by its label, else by a name that came with it, else by its id.
    func device(_ device: String, called name: String?) -> String { label(of: device, in: devices, called: name) }

    /// A zone: its name, or its id.
    func zone(_ zone: String) -> String { label(of: zone, in: zones) }

    /// A zone by its label, else by a name that came with it, else by its id.
    func zone(_ zone: String, called name: String?) -> String { label(of: zone, in: zones, called: name) }

    private func label(of id: String, in labels: Labels, called name: String? = nil) -> String {
        let shown = self.id(id)
        guard let text = labels.text(of: id, shown: shown) else {
            return name.flatMap { $0.isEmpty ? nil : Table.visible($0) } ?? shown
        }
        return showsWholeIDs && !text.hasSuffix("(\(id))") ? "\(text) (\(id))" : text
    }
}

extension Session {
    /// The style with the names of accounts, as far as this program may ask for them.
    func styleWithAccounts() async -> Style {
        var style = style
        // An application learns of accounts only by their ids; the requested output is shown all the same.
        if !isJSON, let accounts = try? await client.accounts() { style.accounts = Labels(accounts) }
        return style
    }

    /// The style with the names of accounts, devices and zones, as far as this program may ask for them.
    func styleWithNames() async -> Style {
        var style = await styleWithAccounts()
        guard !isJSON else { return style }
        // Again, names that an application may not learn are shown as ids.
        let account = try? await client.account()
        let peers = (try? await client.peers()) ?? []
        let zones = (try? await client.zones()) ?? []
        style.devices = Self.devices(of: account, and: peers, style: style)
        style.zones = Labels(zones.map { Labels.Thing(id: $0.zone, name: $0.name) })
        return style
    }

    /// The labels of devices.
    /// - Parameters:
    ///   - account: The account of this device; `nil` where this program may not learn it.
    ///   - peers: The other devices.
    ///   - style: The style, with the names of accounts.
    /// - Returns: Names; behind that of a device of another account stands whose it is.
    static func devices(of account: Account?, and peers: [Peer], style: Style) -> Labels {
        var names: [String: String] = [:]
        for peer in peers where !peer.name.isEmpty {
            let isOwn = account.map { $0.account == peer.account } ?? true
            names[peer.device] = isOwn ? peer.name : "\(peer.name) of \(style.account(peer.account))"
        }
        for device in account?.removed ?? [] { names[device.device] = device.name }
        for device in account?.devices ?? [] { names[device.device] = device.name }
        return Labels(names.map { Labels.Thing(id: $0.key, name: $0.value) })
    }
}
