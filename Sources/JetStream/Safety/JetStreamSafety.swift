import Mailbox

/// The safety of parcels on a cluster.
///
/// A front end's own user learns nothing about the servers but the version of one. Servers reveal how they write to
/// disk only to users of their system account: so a second connection asks for that, if there are
/// ``JetStreamOptions/observers``.
package struct JetStreamSafety: Sendable {
    /// The first version on which the tests pass, with some distance.
    ///
    /// Batches that are written whole or not at all came with 2.12.0; but 2.12.0 and 2.12.1 keep refusing writes that
    /// were refused once, and then block all further writes.
    package static let versionMin = "2.12.4"

    /// A server's own description.
    struct Server: Hashable, Sendable {
        /// Its name.
        var name: String
        /// Its version.
        var version: String?
        /// Whether each write is on disk before it is acknowledged.
        var syncsAlways: Bool
    }

    /// The known facts about a cluster.
    struct Facts: Sendable {
        /// The version of the server to which the front end is connected.
        var version: String?
        /// The number of the stream's replicas.
        var replicaCount = 1
        /// The names of the servers that have one.
        var members: [String] = []
        /// The members that lag, or are away.
        var behind: [String] = []
        /// The servers' descriptions; `nil` when the front end could not ask for them.
        var servers: [Server]?
    }

    /// Derives the findings about a cluster.
    static func findings(_ facts: Facts) -> [JetStreamFinding] {
        var findings: [JetStreamFinding] = []
        let versions = (facts.servers ?? []).map { ($0.name, $0.version) } + [("the server in use", facts.version)]
        let old = versions.first { !isEnough($0.1 ?? versionMin) }
        if let (name, version) = old {
            findings.append(
                JetStreamFinding(
                    code: .serverTooOld,
                    words: "\(name) is nats-server \(version ?? "")",
                    fix: "install \(versionMin) or later on every server"
                )
            )
        } else if versions.allSatisfy({ $0.1 == nil }) {
            findings.append(
                JetStreamFinding(
                    code: .versionUnknown,
                    words: "no server reports its version",
                    fix: "let the relay's user publish to $SYS.REQ.USER.INFO"
                )
            )
        }
        return findings + replicaFindings(facts) + syncFindings(facts)
    }

    private static func replicaFindings(_ facts: Facts) -> [JetStreamFinding] {
        var findings: [JetStreamFinding] = []
        if facts.replicaCount < 2 {
            findings.append(
                JetStreamFinding(
                    code: .oneReplica,
                    words: "each parcel is on one server only",
                    fix: "run three servers, and set the stream's num_replicas to 3"
                )
            )
        } else if facts.replicaCount.isMultiple(of: 2) {
            findings.append(
                JetStreamFinding(
                    code: .evenReplicas,
                    words:
                        "each parcel is on \(facts.replicaCount) servers, which tolerates no more failures than one server less",
                    fix: "set the stream's num_replicas to 3"
                )
            )
        }
        for name in facts.behind {
            findings.append(
                JetStreamFinding(
                    code: .replicaBehind,
                    words: "\(name) is away, or is not up to date yet",
                    fix: "start it, and let it catch up before another server is stopped"
                )
            )
        }
        return findings
    }

    private static func syncFindings(_ facts: Facts) -> [JetStreamFinding] {
        let fix = "set sync_interval: always in the jetstream block of every server"
        let servers = facts.servers ?? []
        // Missing servers are findings already; without a cluster, the servers that answer are the ones to check.
        let asked = facts.members.isEmpty ? servers.map(\.name) : facts.members.filter { !facts.behind.contains($0) }
        let silent = asked.filter { name in !servers.contains { $0.name == name } }
        var findings = servers.filter { asked.contains($0.name) && !$0.syncsAlways }.map { server in
            JetStreamFinding(
                code: .syncLate,
                words: "\(server.name) acknowledges parcels before they are on its disk",
                fix: fix
            )
        }
        if asked.isEmpty || !silent.isEmpty {
            let which = silent.isEmpty ? "any server" : silent.joined(separator: ", ")
            findings.append(
                JetStreamFinding(
                    code: .syncUnknown,
                    words: "it is not known whether \(which) acknowledges parcels before they are on disk",
                    fix: "\(fix), and give the relay a user of the system account to check it"
                )
            )
        }
        return findings
    }

    /// Whether a version has the needed features: numbers with dots, and perhaps words after them.
    private static func isEnough(_ version: String) -> Bool {
        let (numbers, least) = (numbers(version), numbers(versionMin))
        return !numbers.lexicographicallyPrecedes(least)
    }

    private static func numbers(_ version: String) -> [Int] {
        version.split(separator: "-").first.map { $0.split(separator: ".").map { Int($0) ?? 0 } } ?? []
    }
}

extension JetStreamParcelStorage {
    /// Checks how safe parcels are on the cluster.
    /// - Returns: The defects, and the facts that could not be determined; empty when there are none.
    /// - Throws: `ParcelStorageError.unavailable` when the stream does not answer.
    package func findings() async throws -> [JetStreamFinding] {
        try await workers.run { [self] in
            var facts = JetStreamSafety.Facts()
            let information = try keeper.stream.information()
            facts.replicaCount = information.config?.num_replicas ?? 1
            let others = information.cluster?.replicas ?? []
            facts.members = [information.cluster?.leader].compactMap(\.self) + others.map(\.name)
            facts.behind = others.filter { !$0.current || $0.offline == true }.map(\.name)
            facts.version = try? connection.version()
            facts.servers = try? observed(members: facts.members)
            return JetStreamSafety.findings(facts)
        }
    }

    /// The servers' own descriptions, which only a user that may ask all servers gets.
    private func observed(members: [String]) throws(StreamError) -> [JetStreamSafety.Server]? {
        guard !options.observers.isEmpty else { return nil }
        var options = options
        options.servers = options.observers
        return try NATSConnection(options).servers(members)
    }
}

extension NATSConnection {
    /// The version of the server to which this is connected.
    func version() throws(StreamError) -> String? {
        let answer: UserInformation = try ParcelStream.decode(
            send([NATSMessage(subject: "$SYS.REQ.USER.INFO")]).bytes
        )
        return answer.server?.ver
    }

    /// Asks all servers for their settings; for a user of the system account.
    /// - Parameter names: The servers to wait for, for a limited time.
    /// - Returns: The descriptions of the servers that answered.
    /// - Throws: `StreamError` when none did.
    func servers(_ names: [String]) throws(StreamError) -> [JetStreamSafety.Server] {
        var found: [JetStreamSafety.Server] = []
        do throws(StreamError) {
            try ask([NATSMessage(subject: "$SYS.REQ.SERVER.PING.JSZ", bytes: Array("{}".utf8))]) { reply in
                guard let answer: ServerInformation = try? ParcelStream.decode(reply.bytes),
                    let name = answer.server?.name, answer.data?.config != nil
                else { return false }
                let syncs = answer.data?.config?.sync_always ?? false
                found.append(
                    JetStreamSafety.Server(name: name, version: answer.server?.ver, syncsAlways: syncs)
                )
                return !names.isEmpty && names.allSatisfy { name in found.contains { $0.name == name } }
            }
        } catch {
            // No other server answers: then these are all.
            guard case .passing = error, !found.isEmpty else { throw error }
        }
        return found
    }
}
