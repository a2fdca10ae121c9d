package import KairanInterface
import Sync

extension Node {
    /// See `NodeAPI`.
    package func examine(
        noting progress: @Sendable (CheckProgress) -> Void
    ) async throws(NodeError) -> [CheckOutcome] {
        var facts = Examination(account: identity.account)
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
            facts.storeFindings = try? await storage.quickCheck()
        case .work:
            facts.relays = (try? await relays()) ?? []
            facts.pending = (try? await pending(zone: nil).entries) ?? []
        case .machine: facts.machine = machine.facts()
        case .peers: facts.peers = await sync.freshPeerStatuses(silence: SyncLimits.presenceMilliseconds)
        case .neighbourhood: facts.neighbourhood = await sync.neighbourhood()
        case .reach:
            facts.port = listeningPort()
            if facts.port != nil { facts.reach = await sync.reach() }
        case .warnings:
            replica.clocks.look()
            facts.warnings = replica.health.shown
        }
    }

    /// See `NodeAPI`.
    package func acknowledge(warning code: String) async throws(NodeError) {
        guard let warning = replica.health.all.first(where: { $0.code == code }) else {
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

    /// See `NodeAPI`.
    package func withdrawAcknowledgement(of code: String) async throws(NodeError) {
        guard replica.health.isAcknowledged(code) else { throw Self.unknown(warning: code) }
        try await keepAcknowledgement(of: code, nil)
    }

    private func keepAcknowledgement(of code: String, _ severity: HealthWarning.Severity?) async throws(NodeError) {
        do {
            // Not a write that peers learn of: a device that may not write has warnings too.
            try await commits.perform { transaction in
                try transaction.setValue(severity.map { [$0.rank] }, named: HealthBoard.valueName(code))
            }
        } catch {
            replica.warn(of: error)
            throw told(error)
        }
        replica.health.acknowledge(code, severity)
    }

    private static func unknown(warning code: String) -> NodeError {
        NodeError(
            .warningUnknown,
            "No warning with the code \(code) is active or acknowledged.",
            fix: "`kairan status --all` lists them."
        )
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
