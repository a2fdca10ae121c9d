import Exposition
import Foundation
import KairanInterface
import Session
import Sync
import Synchronization
import Testing
import Wire

@testable import Node

@Suite struct `The doctor` {
    private static let device = DeviceID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4))
    private static let account = AccountID(Digest32(word0: 5, word1: 6, word2: 7, word3: 8))

    /// A machine without any findings.
    private var sound: Examination {
        var facts = Examination(account: Self.account)
        facts.machine.freeByteCount = 90 << 30
        facts.machine.byteCount = 100 << 30
        facts.machine.descriptorCount = 40
        facts.machine.descriptorLimit = 1_024
        facts.machine.confinement = .service(gainsNoPrivileges: true, filtersCalls: true)
        facts.peers = [peer("desk")]
        facts.neighbourhood.interfaces = DiscoveryInterfaces(
            used: ["eth0"],
            leftAlone: [DiscoveryInterfaces.LeftAlone(name: "docker0", reason: "belongs to containers")],
            leftOut: []
        )
        facts.port = 7_621
        return facts
    }

    private func peer(_ name: String, version: ChannelVersion = .hybrid, program: ProgramNote? = nil) -> PeerStatus {
        PeerStatus(
            device: Self.device,
            account: Self.account,
            name: name,
            state: .connected,
            address: "10.0.0.1:7621",
            via: .mdns,
            roundTripMilliseconds: 1,
            skewMilliseconds: -1_200,
            role: .full,
            channelVersion: version,
            program: program
        )
    }

    private func relay(_ state: Relay.State, used: UInt64 = 0) -> RelayStatus {
        RelayStatus(
            relay: .zero,
            addresses: ["relay.example:7620"],
            state: state,
            storedByteCount: used,
            quotaByteCount: 1 << 30
        )
    }

    private func entry(age: UInt64, _ state: Peer.State) -> PendingReport.Entry {
        PendingReport.Entry(
            zone: .zero,
            name: "notes",
            container: "c",
            device: Self.device,
            account: Self.account,
            deviceName: "desk",
            state: state,
            count: 3,
            behind: 3,
            missing: 0,
            oldestMilliseconds: 1,
            ageMilliseconds: age,
            reason: .syncing,
            sinceMilliseconds: nil
        )
    }

    /// The findings alone, as codes.
    private func findings(_ change: (inout Examination) -> Void) -> [String] {
        var facts = sound
        change(&facts)
        let found = facts.checks.filter { !$0.isGood }
        #expect(found.allSatisfy { !$0.fix.isEmpty && $0.message.hasSuffix(".") && $0.fix.count > 10 }, "\(found)")
        return found.map(\.code)
    }

    @Test func `finds nothing on a sound machine, and lists its checks`() {
        let checks = sound.checks
        #expect(checks.allSatisfy { $0.isGood })
        #expect(checks.allSatisfy { $0.message.hasSuffix(".") && $0.fix.isEmpty && $0.severity == .info }, "\(checks)")
        let messages = Dictionary(uniqueKeysWithValues: checks.map { ($0.code, $0.message) })
        #expect(messages["mdns.interfaces"] == "mDNS uses eth0. docker0 belongs to containers.")
        #expect(messages["storage.room"] == "90 GiB of 100 GiB are free for the state directory.")
        #expect(messages["clock.agreement"] == "The clock is within 2 s of those of all connected devices.")
        #expect(messages["port.listening"] == "The daemon listens on TCP port 7621.")
    }

    @Test func `finds nothing either where nothing is known`() {
        #expect(Examination(account: Self.account).checks.filter { !$0.isGood }.map(\.code) == ["port.listening"])
    }

    @Test func `finds faults of the machine`() {
        #expect(findings { $0.machine.freeByteCount = 2 << 30 } == ["storage.room"])
        #expect(
            findings { ($0.machine.freeByteCount, $0.machine.byteCount) = (511 << 20, 1 << 30) } == ["storage.room"]
        )
        #expect(findings { $0.machine.descriptorCount = 820 } == ["descriptors.room"])
        #expect(
            findings { $0.machine.confinement = .service(gainsNoPrivileges: false, filtersCalls: true) }
                == ["service.confinement"]
        )
        #expect(
            findings { $0.machine.confinement = .service(gainsNoPrivileges: true, filtersCalls: false) }
                == ["service.confinement"]
        )
        #expect(findings { $0.machine.confinement = .byHand }.isEmpty)
        #expect(findings { $0.storeFindings = nil } == ["storage.integrity"])
        #expect(findings { $0.storeFindings = ["page 7 is never used", "another"] } == ["storage.integrity"])
        #expect(findings { $0.contents = nil } == ["storage.contents"])
        #expect(findings { $0.contents = PayloadFindings(fileCount: 3) }.isEmpty)
        #expect(findings { $0.contents = PayloadFindings(fileCount: 3, damagedCount: 1) } == ["storage.contents"])
    }

    @Test func `finds faults of the network`() {
        #expect(findings { $0.port = nil } == ["port.listening"])
        #expect(findings { $0.neighbourhood.unsighted = ["desk"] } == ["mdns.multicast"])
        #expect(
            findings { ($0.neighbourhood.unsighted, $0.neighbourhood.isUsed) = (["desk"], false) }.isEmpty,
            "without mDNS nobody is in sight"
        )
        #expect(findings { $0.peers = [self.peer("desk", version: .classical)] } == ["peers.versions"])
    }

    @Test(arguments: [
        ("0.5.0", 3, true), ("0.4.9", 3, true), ("0.6.1-rc", 3, true), ("built-by-me", 3, true),
        ("0.3.9", 3, false), ("0.7.0", 3, false), ("1.5.0", 3, false), ("0.5.0", 2, false), ("0.5.0", 4, false),
    ])
    func `finds programs that are more than a minor version apart, or know other messages`(
        version: String,
        revision: UInt8,
        isWell: Bool
    ) throws {
        let note = try #require(ProgramNote(revision: revision, version: version))
        let found = findings {
            $0.program = ProgramNote(revision: 3, version: "0.5.0")
            $0.peers = [self.peer("desk", program: note), self.peer("old")]
        }
        #expect(found == (isWell ? [] : ["peers.program"]))
    }

    @Test func `names the one of two programs that must be updated`() throws {
        var facts = sound
        facts.program = ProgramNote(version: "0.5.0")
        facts.peers = [
            peer("desk", program: ProgramNote(version: "0.1.0")), peer("lap", program: ProgramNote(version: "0.9.0")),
        ]
        let check = try #require(facts.checks.first { $0.code == "peers.program" })
        #expect(check.severity == .warning)
        #expect(check.fix == "Update kairand on desk. Update kairand here.")
        #expect(
            check.message
                == "desk runs 0.1.0 (messages 1), lap runs 0.9.0 (messages 1), and this device 0.5.0 (messages 1)."
        )
        facts.peers = [peer("desk"), peer("lap", program: ProgramNote(version: "0.5.1"))]
        let good = try #require(facts.checks.first { $0.code == "peers.program" })
        #expect(good.isGood)
        #expect(good.message == "The connected devices run 0.5.1; this one runs 0.5.0. Not reported by desk.")
    }

    @Test(arguments: [
        ([ReachOutcome.silent], "warning"), ([.refused], "warning"), ([.silent, .refused], "warning"),
        ([.silent, .reached], "info"), ([.reached], ""), ([.notTried], ""), ([.notTried, .silent], "warning"),
    ])
    func `finds a port that no connected device gets through to`(outcomes: [ReachOutcome], severity: String) throws {
        var facts = sound
        facts.peers = outcomes.indices.map { index in
            var peer = peer("peer\(index)")
            peer.device = DeviceID(Digest32(word0: UInt64(index), word1: 2, word2: 3, word3: 4))
            return peer
        }
        for (peer, outcome) in zip(facts.peers, outcomes) { facts.reach[peer.device] = Examination.Reach(outcome) }
        let check = try #require(facts.checks.first { $0.code == "port.reachable" })
        #expect(check.isGood == severity.isEmpty)
        guard !severity.isEmpty else { return }
        #expect(check.severity.rawValue == severity)
        #expect(check.fix.contains("`sudo ufw allow Kairan`") && check.fix.contains("--add-service=kairan"))
        #expect(check.message.contains("TCP port 7621") && check.message.contains("peer\(outcomes.count - 1)"))
        facts.port = nil
        #expect(facts.checks.first { $0.code == "port.reachable" }?.isGood == true, "it was not asked")
    }

    @Test(arguments: [
        // The devices of this account, those of another one, and the finding.
        ([ReachOutcome.reached], [ReachOutcome.silent], ""), ([], [.silent], ""), ([], [.reached], ""),
        ([.silent], [.reached], "warning"), ([.reached], [.reached], ""), ([.notTried], [.refused], ""),
    ])
    func `lets only devices of this account decide whether the port is open`(
        own: [ReachOutcome],
        others: [ReachOutcome],
        severity: String
    ) throws {
        var facts = sound
        facts.peers = []
        for (index, outcome) in (own + others).enumerated() {
            var peer = peer("peer\(index)")
            peer.device = DeviceID(Digest32(word0: UInt64(index), word1: 2, word2: 3, word3: 4))
            if index >= own.count { peer.account = AccountID(Digest32(word0: 9, word1: 9, word2: 9, word3: 9)) }
            facts.peers.append(peer)
            facts.reach[peer.device] = Examination.Reach(outcome)
        }
        let check = try #require(facts.checks.first { $0.code == "port.reachable" })
        #expect(check.isGood == severity.isEmpty && (check.isGood || check.severity.rawValue == severity), "\(check)")
        #expect(
            check.message.contains(
                "Reported by devices of other accounts, without effect on the result: peer\(own.count) "
            )
        )
        #expect(check.statements.map(\.isOwn) == own.map { _ in true } + others.map { _ in false })
        #expect(check.statements.map(\.outcome) == own + others)
    }

    @Test func `shows how old a device's answer is, unless it is new`() throws {
        var facts = sound
        facts.reach[Self.device] = Examination.Reach(.reached, ageMilliseconds: 4_999)
        let new = try #require(facts.checks.first { $0.code == "port.reachable" })
        #expect(new.message == "desk can connect to TCP port 7621 of this device.")
        facts.reach[Self.device] = Examination.Reach(.silent, ageMilliseconds: 42_900)
        let old = try #require(facts.checks.first { $0.code == "port.reachable" })
        #expect(old.message.contains("desk (42 s ago) got no answer"), "\(old)")
        #expect(old.statements.map(\.ageMilliseconds) == [42_900] && old.statements.map(\.name) == ["desk"])
    }

    @Test func `finds work that does not move`() {
        #expect(findings { $0.pending = [self.entry(age: 3_600_001, .connected)] } == ["pending.moving"])
        #expect(findings { $0.pending = [self.entry(age: 3_600_000, .connected)] }.isEmpty)
        #expect(findings { $0.pending = [self.entry(age: 90_000_000, .away)] }.isEmpty, "it is switched off")
        for state in Relay.State.allCases {
            let isWell = state == .connected || state == .connecting
            #expect(findings { $0.relays = [self.relay(state)] } == (isWell ? [] : ["relays.room"]), "\(state)")
        }
        #expect(findings { $0.relays = [self.relay(.connected, used: 1_000_000_000)] } == ["relays.room"])
    }

    @Test func `assigns each warning to its check, or lists it after them`() {
        for code in HealthRule.all.keys.sorted() {
            var facts = sound
            facts.warnings = [HealthWarning(code: code, severity: .warning, message: "It is so.", fix: "Mend it now.")]
            let found = facts.checks.filter { !$0.isGood }
            #expect(
                found.count == 1 && found.first?.message == "It is so." && found.first?.fix == "Mend it now.",
                "\(code)"
            )
            facts.warnings[0].isAcknowledged = true
            #expect(facts.checks.allSatisfy { $0.isGood }, "\(code)")
        }
        var facts = sound
        facts.warnings = ["clock.behind", "clock.was_ahead", "quarantine.waiting"].map {
            HealthWarning(code: $0, severity: .warning, message: "It is so.", fix: "Mend it now.")
        }
        #expect(
            facts.checks.filter { !$0.isGood }.map(\.code)
                == ["clock.agreement", "clock.was_ahead", "quarantine.waiting"]
        )
    }

    @Test func `has the checks that the document lists`() throws {
        let codes = sound.checks.map(\.code)
        #expect(Set(codes).count == codes.count)
        #expect(try OperationsPage("doctor").codes == Set(codes))
        let steps = Examination.Step.allCases.flatMap(\.codes)
        #expect(steps.count == codes.count && Set(steps) == Set(codes), "each check is in one step of the progress")
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A running node's doctor` {
    @Test func `reads the store, and reports failures`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            let steps = Mutex([CheckProgress]())
            let sound = try await desk.node.health.examine { step in steps.withLock { $0.append(step) } }
            let noted = steps.withLock { $0 }
            #expect(noted.map { $0.running.first } == Examination.Step.allCases.map { $0.codes.first })
            #expect(noted.map { $0.done } == noted.map { $0.done }.sorted() && noted.first?.done == 0)
            #expect(noted.allSatisfy { $0.done + $0.running.count <= $0.count && $0.count == noted[0].count })
            #expect(noted.last.map { $0.done + $0.running.count == $0.count } == true)
            #expect(sound.first { $0.code == "storage.integrity" }?.isGood == true)
            #expect(sound.first { $0.code == "keys.sealed" }?.isGood == false)
            #expect(sound.first { $0.code == "mdns.working" }?.message.hasPrefix("mDNS is switched off") == true)
            desk.storage.failReads(with: .inputOutput)
            let broken = try await desk.node.health.examine()
            #expect(broken.first { $0.code == "storage.integrity" }?.severity == .critical)
            #expect(broken.first { $0.code == "storage.contents" }?.isGood == false)
            #expect(broken.count == sound.count, "the other checks are there all the same")
            desk.storage.failReads(with: nil)
        }
    }

    @Test func `finds files of contents that are missing or short, and has the lost parts fetched again`() async throws
    {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            try await desk.makeZone("photos")
            let bytes = [UInt8](repeating: 7, count: 200_000)
            for name in ["a", "b", "c"] { try await desk.putAsset(bytes, as: name, in: "photos") }
            func outcome() async throws -> CheckOutcome? {
                try await desk.node.health.examine().first { $0.code == "storage.contents" }
            }
            #expect(try await outcome()?.message.hasPrefix("Each of 3 files") == true)
            let folder = desk.directory.path + "/store/payloads/"
            try FileManager.default.removeItem(atPath: folder + "1")
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder + "2"))
            try file.truncate(atOffset: 100_000)
            try file.close()
            let found = try await outcome()
            #expect(found?.isGood == false && found?.message.hasPrefix("2 of 3 files") == true)
            let missing = try await desk.storage.read { store in
                try (1...3).map { try store.missingChunks(of: $0, limit: 9) }
            }
            #expect(missing == [[0, 1, 2, 3], [1, 2, 3], []])
            #expect(try await desk.asset("a", in: "photos").state != .present)
            // A part that is known to be missing is no damage.
            #expect(try await outcome()?.isGood == true)
        }
    }

    @Test func `passes over a warning that a person has acknowledged, also after a restart`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk", metrics: MetricRegistry())
            let gauge = #"kairan_health_warnings{code="keys.unsealed",severity="info"} "#
            #expect(try await desk.node.metrics.text().contains(gauge + "1"))
            try await expectRefusal(.warningUnknown) { try await desk.node.health.acknowledge(warning: "clock.ahead") }
            try await expectRefusal(.warningUnknown) {
                try await desk.node.health.withdrawAcknowledgement(of: "keys.unsealed")
            }
            try await desk.node.health.acknowledge(warning: "keys.unsealed")
            #expect(try await desk.node.health.status().health.map(\.isAcknowledged) == [true])
            #expect(try await desk.node.metrics.text().contains(gauge + "0"))
            let again = try await nodes.restart(desk)
            let notice = try #require(try await again.node.health.status().health.first { $0.code == "keys.unsealed" })
            #expect(notice.isAcknowledged)
            #expect(try await again.node.health.examine().first { $0.code == "keys.sealed" }?.isGood == true)
            try await again.node.health.withdrawAcknowledgement(of: "keys.unsealed")
            #expect(
                try await again.node.health.status().health.contains {
                    $0.code == "keys.unsealed" && !$0.isAcknowledged
                }
            )
        }
    }

    @Test func `refuses the acknowledgement of a critical warning`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            try await desk.makeZone("notes")
            desk.storage.fail(with: .diskFull)
            _ = try? await desk.put("n", in: "notes", text: "x")
            desk.storage.fail(with: nil)
            try await expectRefusal(.warningCritical) {
                try await desk.node.health.acknowledge(warning: "storage.disk_full")
            }
        }
    }
}
