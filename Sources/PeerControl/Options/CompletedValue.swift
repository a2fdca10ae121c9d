import ArgumentParser
import FoundationEssentials
import KairanClient

/// Something of the daemon's that the shell completes.
enum CompletedValue: Sendable, CaseIterable {
    case zones, containers, devices, accounts, warnings

    /// The time that the daemon has to answer; a person waits at the keyboard.
    static let patience: Duration = .milliseconds(1_500)

    /// The values for a command line.
    /// - Parameters:
    ///   - words: The words of the command line.
    ///   - prefix: The beginning of the word that is completed.
    /// - Returns: The values with this beginning; none if the daemon does not answer in time, for any reason.
    func values(for words: [String], prefix: String) async -> [String] {
        let environment = ProcessInfo.processInfo.environment
        let path = SocketPath.choose(
            option: Self.socket(in: words),
            environment: environment,
            exists: FileManager.default.fileExists(atPath:)
        )
        let values = await Self.first(within: Self.patience) {
            let token = try TokenFile.token(environment)
            return try await DaemonClient.withClient(socketPath: path, token: token) { try await all(from: $0) }
        }
        return Self.safe(values ?? []).filter { $0.hasPrefix(prefix) }
    }

    /// The outcome of some work; `nil` where it fails or takes too long.
    private static func first(
        within time: Duration,
        _ work: @escaping @Sendable () async throws -> [String]
    ) async -> [String]? {
        await withTaskGroup(of: [String]?.self) { group in
            // No completion is worth an error at the prompt.
            group.addTask { try? await work() }
            group.addTask {
                try? await Task.sleep(for: time)
                return nil
            }
            let outcome = await group.next() ?? nil
            group.cancelAll()
            return outcome
        }
    }

    private func all(from client: DaemonClient) async throws -> [String] {
        switch self {
        case .zones: Self.names(of: try await client.zones())
        case .containers: try await client.containers().map(\.container)
        case .devices: Self.names(of: try await client.account().devices, and: try await client.peers())
        case .accounts:
            Self.accounts(
                zones: try await client.zones(),
                peers: try await client.peers(),
                named: try await client.accounts()
            )
        case .warnings: try await client.status().health.map(\.code)
        }
    }

    /// The socket that a command line names.
    static func socket(in words: [String]) -> String? {
        if let index = words.firstIndex(of: "--socket"), index + 1 < words.count { return words[index + 1] }
        return words.first { $0.hasPrefix("--socket=") }.map { String($0.dropFirst("--socket=".count)) }
    }

    /// Returns the values that a shell takes literally, each once, in their order.
    ///
    /// Bash expands each word of a list of completions, including commands in it, and names come from other machines:
    /// bash would run `$(…)` as the name of a zone. A value with any character except letters, digits and `._-/@+` is
    /// not offered.
    static func safe(_ values: [String]) -> [String] {
        let marks = Set("._-/@+".unicodeScalars)
        let safe = values.filter { value in
            !value.isEmpty && !value.hasPrefix("-")
                && value.unicodeScalars.allSatisfy { scalar in
                    marks.contains(scalar) || scalar.properties.isAlphabetic
                        || scalar.properties.numericType == .decimal
                }
        }
        return Set(safe).sorted()
    }

    /// The names of zones on the command line: by name, or with their container where the name is not the only one.
    static func names(of zones: [Zone]) -> [String] {
        zones.map { zone in
            let isOnly = zones.count { $0.name == zone.name } == 1
            return isOnly && !zone.name.isEmpty ? zone.name : "\(zone.container)/\(zone.name)"
        }
    }

    /// The names of devices: by name, or by the beginning of the id where the name is not the only one.
    static func names(of devices: [Device], and peers: [Peer]) -> [String] {
        var named: [String: String] = [:]
        for peer in peers { named[peer.device] = peer.name }
        for device in devices { named[device.device] = device.name }
        return named.map { id, name in
            let isOnly = named.values.count { $0 == name } == 1
            return isOnly && !name.isEmpty ? name : Words.short(id, of: Array(named.keys))
        }
    }

    /// Returns the accounts that were met, have a name, or own a zone: by name, or by a unique beginning of the id if
    /// the name is not unique.
    static func accounts(zones: [Zone], peers: [Peer], named: [NamedAccount] = []) -> [String] {
        let all = Set(
            zones.flatMap { [$0.owner] + [$0.pairWith].compactMap(\.self) } + peers.map(\.account)
                + named.map(\.account)
        )
        let names = Dictionary(named.map { ($0.account, $0.name) }) { first, _ in first }
        return all.map { account in
            if let name = names[account] ?? nil, named.count(where: { $0.name == name }) == 1, safe([name]) == [name] {
                return name
            }
            return Words.short(account, of: Array(all))
        }
    }
}

extension CompletionKind {
    /// Names of zones.
    static var zones: CompletionKind { .daemon(.zones) }
    /// Names of containers.
    static var containers: CompletionKind { .daemon(.containers) }
    /// Names of devices.
    static var devices: CompletionKind { .daemon(.devices) }
    /// Names of accounts, or beginnings of their ids.
    static var accounts: CompletionKind { .daemon(.accounts) }
    /// Codes of warnings that stand.
    static var warnings: CompletionKind { .daemon(.warnings) }

    private static func daemon(_ value: CompletedValue) -> CompletionKind {
        .custom { words, _, prefix in await value.values(for: words, prefix: prefix) }
    }
}
