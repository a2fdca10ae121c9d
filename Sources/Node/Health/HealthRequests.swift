import KairanInterface
import Sync

/// Answers requests about the node's own state, and about faults.
struct HealthRequests: HealthAPI {
    let store: CallerStore
    let sync: SyncService
    let peers: any PeerAPI
    let relaying: any RelayAPI
    let machine: any MachinePort
    let listeningPort: @Sendable () -> UInt16?

    func status() async throws(NodeError) -> NodeStatus {
        let summary = try await store.read { try ZoneReading(store.committer).summary($0) }
        store.commitService.clocks.look()
        let health = store.commitService.health.shown
        return NodeStatus(
            version: Node.version,
            device: store.identity.device,
            account: store.identity.account,
            incarnation: store.identity.incarnation,
            state: store.commitService.daemonState,
            peers: await sync.connectedCount,
            zones: summary.zones,
            pending: summary.pending,
            listeningPort: listeningPort(),
            health: health
        )
    }

    func examine(
        noting progress: @Sendable (CheckProgress) -> Void
    ) async throws(NodeError) -> [CheckOutcome] {
        var facts = Examination(account: store.identity.account)
        for step in Examination.Step.allCases {
            progress(step.progress)
            await collect(step, into: &facts)
        }
        return facts.checks
    }

    private func collect(_ step: Examination.Step, into facts: inout Examination) async {
        switch step {
        case .store:
            // A store that cannot be read is a finding, and does not prevent the other checks.
            facts.storeFindings = try? await store.storage.quickCheck()
            facts.contents = await contents()
        case .work:
            facts.relays = (try? await relaying.relays()) ?? []
            facts.pending = (try? await peers.pending(zone: nil).entries) ?? []
        case .machine: facts.machine = machine.facts()
        case .peers: facts.peers = await sync.freshPeerStatuses(silence: SyncLimits.presenceMilliseconds)
        case .neighbourhood: facts.neighbourhood = await sync.neighbourhood()
        case .reach:
            facts.port = listeningPort()
            if facts.port != nil { facts.reach = await sync.reach() }
        case .warnings:
            store.commitService.clocks.look()
            facts.warnings = store.commitService.health.shown
        }
    }

    /// Compares the files of contents with the database, and has the parts fetched again that are lost.
    private func contents() async -> PayloadFindings? {
        let found: PayloadFindings
        do {
            found = try await store.storage.payloadFindings()
        } catch {
            store.commitService.warn(of: error)
            return nil
        }
        for damage in found.damaged {
            do throws(NodeError) {
                _ = try await store.keep({ [store] transaction in
                    try Payloads(store.committer).recheck(
                        number: damage.number,
                        position: damage.position,
                        in: &transaction
                    )
                }) { [commitService = store.commitService] in commitService.announce($0) }
            } catch {
                // The next one would be refused as well, and the finding remains.
                break
            }
        }
        return found
    }

    func acknowledge(warning code: String) async throws(NodeError) {
        guard let warning = store.commitService.health.all.first(where: { $0.code == code }) else {
            throw Self.unknown(warning: code)
        }
        guard warning.severity != .critical else {
            throw NodeError(
                .warningCritical,
                "The warning \(code) is critical: data is at risk, or nothing syncs.",
                fix: warning.fix
            )
        }
        try await keepAcknowledgement(of: code, warning.severity)
    }

    func withdrawAcknowledgement(of code: String) async throws(NodeError) {
        guard store.commitService.health.isAcknowledged(code) else { throw Self.unknown(warning: code) }
        try await keepAcknowledgement(of: code, nil)
    }

    private func keepAcknowledgement(of code: String, _ severity: HealthWarning.Severity?) async throws(NodeError) {
        try await store.keep { transaction in
            try transaction.setValue(severity.map { [$0.rank] }, named: HealthBoard.valueName(code))
        }
        store.commitService.health.acknowledge(code, severity)
    }

    private static func unknown(warning code: String) -> NodeError {
        NodeError(
            .warningUnknown,
            "No warning with the code \(code) is active or acknowledged.",
            fix: "`kairan status --all` lists them."
        )
    }
}

extension CommitService {
    /// The phase in which the node is, by the raised warnings.
    var daemonState: DaemonStatus.State {
        let isWell = !health.all.contains { $0.severity == .critical }
        return isRecovering ? .recovering : isWell ? .ready : .degraded
    }
}

extension HealthBoard {
    /// The name under which the store keeps how bad a warning was when it was acknowledged: one byte.
    static func valueName(_ code: String) -> String { "health.acknowledged." + code }

    /// Takes in the warnings that people have acknowledged before this start.
    func readAcknowledgements(_ transaction: any NodeTransaction) throws {
        for code in HealthRule.all.keys {
            guard let value = try transaction.value(named: Self.valueName(code)) else { continue }
            let severity = HealthWarning.Severity.allCases.first { [$0.rank] == value }
            if let severity { acknowledge(code, severity) }
        }
    }
}
