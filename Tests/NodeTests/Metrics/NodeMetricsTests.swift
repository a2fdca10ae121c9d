import KairanInterface
import Exposition
import Identity
import Mailbox
import Records
import Session
import Sodium
import Sync
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `Metrics of a node` {
    /// The values by the names of their series, as they are written.
    private static func values(_ node: RunningNode) async throws -> [String: Double] {
        var values: [String: Double] = [:]
        for line in try await node.node.metrics.text().split(separator: "\n") where !line.hasPrefix("#") {
            let space = try #require(line.lastIndex(of: " "))
            values[String(line[..<space])] = Double(line[line.index(after: space)...])
        }
        return values
    }

    /// The values, and how many operations this device's logs have at that moment.
    private static func valuesAndOperations(_ node: RunningNode) async throws -> ([String: Double], UInt64) {
        while true {
            let count = try await operationCount(node)
            let values = try await values(node)
            // The node writes by itself as well; a write in between is in one of the two.
            if try await operationCount(node) == count { return (values, count) }
        }
    }

    private static func operationCount(_ node: RunningNode) async throws -> UInt64 {
        let device = node.node.identity.device
        return try await node.storage.read { transaction in
            try transaction.zones().reduce(0) { sum, zone in
                try transaction.logs(zone: zone.id).filter { $0.device == device }.reduce(sum) { $0 + $1.size }
            }
        }
    }

    @Test func `report the writes, their times, and the state of the node`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start(metrics: MetricRegistry())
            try await desk.makeZone("notes")
            let (before, countBefore) = try await Self.valuesAndOperations(desk)
            for number in 0..<3 { try await desk.put("n\(number)", in: "notes", text: "x") }
            let (after, countAfter) = try await Self.valuesAndOperations(desk)
            let written = try #require(after["kairan_operations_written_total"])
            #expect(written - (before["kairan_operations_written_total"] ?? 0) == Double(countAfter - countBefore))
            #expect(countAfter >= countBefore + 3)
            #expect(after["kairan_operations_received_total"] == 0 && after["kairan_operations_pending"] == 0)
            let commits = try #require(after["kairan_commit_duration_seconds_count"])
            #expect(commits >= (before["kairan_commit_duration_seconds_count"] ?? 0) + 3)
            #expect(after[#"kairan_commit_duration_seconds_bucket{le="+Inf"}"#] == commits)
            #expect(try #require(after["kairan_commit_jobs_total"]) >= commits)
            #expect(try #require(after["kairan_commit_duration_seconds_sum"]) > 0)
            #expect(after["kairan_commit_failures_total"] == 0 && after["kairan_commit_refusals_total"] == 0)
            #expect(after["kairan_zones"] == 1 && after["kairan_store_readable"] == 1)
            #expect(after[#"kairan_node_state{state="ready"}"#] == 1)
            #expect(after[#"kairan_node_state{state="degraded"}"#] == 0)
            #expect(after[#"kairan_build_info{version="\#(Node.version)"}"#] == 1)
            #expect(after[#"kairan_health_warnings{code="keys.unsealed",severity="info"}"#] == 1)
            // The device is no relay, and reports no relay metrics.
            #expect(!after.keys.contains { $0.hasPrefix("kairan_relay_") })
        }
    }

    @Test func `report a full disk, and its end`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start(metrics: MetricRegistry())
            try await desk.makeZone("notes")
            desk.storage.fail(with: .diskFull)
            #expect(try await refusal { try await desk.put("n", in: "notes", text: "x") } == .diskFull)
            let full = try await Self.values(desk)
            let warning = #"kairan_health_warnings{code="storage.disk_full",severity="critical"}"#
            #expect(full[warning] == 1 && full[#"kairan_node_state{state="degraded"}"#] == 1)
            #expect(try #require(full["kairan_commit_failures_total"]) >= 1)
            desk.storage.fail(with: nil)
            try await desk.put("n", in: "notes", text: "x")
            let well = try await Self.values(desk)
            #expect(well[warning] == 0 && well[#"kairan_node_state{state="ready"}"#] == 1)
        }
    }

    @Test func `count the messages between two devices`() async throws {
        try await withNodes { nodes in
            let (desk, phone) = (
                try await nodes.start("desk", metrics: MetricRegistry()),
                try await nodes.start("phone", metrics: MetricRegistry())
            )
            let zone = try await desk.makeZone("notes")
            try await desk.put("n", in: "notes", text: "x")
            try await pair(desk, phone)
            try await phone.untilConnected(to: desk)
            try await converged(zone, desk, phone)
            try await desk.until("acknowledged") { try await $0.health.status().pending == 0 }
            let (ours, theirs) = (try await Self.values(desk), try await Self.values(phone))
            #expect(ours["kairan_peers_connected"] == 1 && theirs["kairan_peers_connected"] == 1)
            #expect(try #require(theirs["kairan_operations_received_total"]) >= 1)
            #expect(try #require(ours["kairan_operations_acknowledged_total"]) >= 1)
            #expect(try #require(ours[#"kairan_sessions_opened_total{with="peers",side="incoming"}"#]) >= 1)
            #expect(try #require(theirs[#"kairan_sessions_opened_total{with="peers",side="outgoing"}"#]) >= 1)
            #expect(try #require(ours[#"kairan_sent_bytes_total{with="peers"}"#]) > 1_000)
            #expect(try #require(theirs[#"kairan_received_bytes_total{with="peers"}"#]) > 1_000)
            // Each has a registry of its own, though both are in one process.
            #expect(theirs["kairan_operations_written_total"] != ours["kairan_operations_written_total"])
        }
    }

    @Test func `count a relay's requests, answers and storage, without a name`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk-canary", isRelay: true, metrics: MetricRegistry())
            let zone = try await desk.makeZone("zone-canary")
            try await desk.put("record-canary", in: "zone-canary", text: "text-canary")
            let (admission, text) = try await desk.node.admitting.admit(
                name: "admission-canary",
                quotaByteCount: 1 << 20,
                addresses: [desk.relayAddress.description]
            )
            let link = try RelayLink(typed: text)
            let mailbox = SymmetricKey.generate().exportBytes()
            let proof = MailboxProof(key: mailbox, other: .zero)
            let parcel = SealedParcel(bytes: [UInt8](repeating: 1, count: 4_096))
            try await RelayCaller.meet(desk.relayAddress, link) { caller in
                #expect(try await caller.ask(.look([proof])) == .refused(.notAdmitted))
                let wrong = [UInt8](repeating: 7, count: MailboxRequest.secretByteCount)
                #expect(try await caller.ask(.enter(secret: wrong)) == .refused(.notAdmitted))
                guard case .entered = try await caller.ask(.enter(secret: link.admissionSecret)) else {
                    throw Missing(description: "entered")
                }
                guard case .stored = try await caller.ask(.put(proof, parcel: parcel.bytes)) else {
                    throw Missing(description: "stored")
                }
                // More than the quarter of a quota that one mailbox may fill.
                let large = [UInt8](repeating: 2, count: 1 << 19)
                #expect(try await caller.ask(.put(proof, parcel: large)) == .refused(.full))
                _ = try await caller.ask(.look([proof]))
                let open = try await Self.values(desk)
                #expect(open["kairan_relay_sessions"] == 1 && open["kairan_relay_sessions_entered"] == 1)
                #expect(open[#"kairan_sessions_open{with="clients"}"#] == 1)
                caller.send([255, 255])
                await caller.untilClosed()
            }
            // The node uses its own relay, as it would use another one's.
            _ = try await desk.node.relaying.useRelay(link: text)
            while try await desk.node.relaying.relays().first?.state != .connected { await Task.yield() }
            let values = try await Self.values(desk)
            func relay(_ name: String, _ label: String = "") -> Double? { values["kairan_relay_\(name)\(label)"] }
            #expect(relay("requests_total", #"{request="look"}"#).map { $0 >= 2 } == true)
            #expect(relay("requests_total", #"{request="put"}"#) == 2)
            #expect(relay("answers_total", #"{answer="not_admitted"}"#) == 2)
            #expect(relay("answers_total", #"{answer="stored"}"#) == 1)
            #expect(relay("answers_total", #"{answer="full"}"#) == 1)
            #expect(relay("answers_total", #"{answer="entered"}"#) == 2)
            #expect(relay("answers_total", #"{answer="unavailable"}"#) == 0)
            #expect(relay("sessions_closed_total", #"{reason="malformed"}"#) == 1)
            #expect(relay("storage_duration_seconds_count", #"{operation="put"}"#) == 2)
            #expect(relay("storage_failures_total", #"{operation="put"}"#) == 0)
            #expect(relay("stored_parcels") == 1 && relay("stored_bytes") == 4_096 + 256)
            #expect(relay("admissions") == 1 && relay("quota_bytes") == 1_048_576)
            #expect(relay("fullest_admission_ratio") == 4_352.0 / 1_048_576)
            #expect(relay("room_bytes") == 10 * 1_073_741_824 && relay("sessions_max") == 4_096)
            #expect(relay("storage_reachable") == 1 && relay("storage_findings") == 0)
            #expect(values[#"kairan_relays{state="connected"}"#] == 1 && values["kairan_parcels_waiting"] == 0)
            #expect(values[#"kairan_sessions_opened_total{with="clients",side="incoming"}"#] == 2)
            #expect(values[#"kairan_sessions_opened_total{with="relays",side="outgoing"}"#] == 1)
            #expect(values[#"kairan_sessions_ended_total{with="clients",reason="violation"}"#] == 1)
            let shown = try await desk.node.metrics.text()
            let status = try await desk.node.health.status()
            let ids = [
                zone.text, status.device.text, status.account.text, admission.admission.text, link.relay.text,
                desk.relayAddress.description, desk.directory.path,
            ]
            #expect(!shown.contains("canary"))
            // Nor the beginnings of ids, by which people name them.
            for id in ids { #expect(!shown.contains(id.prefix(8)), "\(id)") }
        }
    }
}
