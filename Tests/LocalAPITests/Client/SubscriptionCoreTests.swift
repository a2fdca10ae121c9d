import FoundationEssentials
import Testing

@testable import KairanClient

@Suite struct `A subscription that is interrupted` {
    private func event(_ json: String) throws -> DaemonEvent { try DaemonClient.decode(Array(json.utf8)) }

    private func change(_ name: String, _ version: String, zone: String = "z1", token: String?) throws -> DaemonEvent {
        let token = token.map { "\"\($0)\"" } ?? "null"
        return try event(
            """
            {"event":"change","number":1,"token":\(token),"kind":"save","by_sync":true,"record":{"zone":"\(zone)",
            "name":"\(name)","type":"T","fields":{},"version":"\(version)","deleted":false,"created_by":"d",
            "modified_by":"d","modified_at":"2026-07-21T09:30:00Z","conflicts":0}}
            """
        )
    }

    private func snapshot(_ zones: [Zone], token: String?) throws -> DaemonEvent {
        var event = try event(#"{"event":"snapshot","number":0,"zones":[]}"#)
        event.kind = .snapshot(zones: zones)
        event.token = token
        return event
    }

    private func names(_ elements: [Subscription.Element]) -> [String] {
        elements.map { element in
            switch element.kind {
            case .started(let zones): "started " + zones.map(\.zone).joined(separator: ",")
            case .resumed: "resumed"
            case .expired: "expired"
            case .event(.change(let change)): change.record.name + "@" + change.record.version
            case .event(.zone(let change)):
                change.departure.map { "-\($0.zone) \($0.reason)" } ?? "+" + change.zone.zone + change.zone.name
            case .event: "other"
            }
        }
    }

    @Test func `continues from the last token and reports nothing twice`() throws {
        var core = SubscriptionCore(container: nil, token: "t0")
        #expect(names(core.received(try snapshot([.sample("z1")], token: "t0"))) == ["started z1"])
        #expect(names(core.received(try change("a", "v1", token: "t1"))) == ["a@v1"])
        #expect(names(core.received(try change("b", "v2", token: nil))) == ["b@v2"])
        core.ended()
        #expect(core.token == "t1" && core.pauseMilliseconds > 0)
        // Changes of zones during the interruption come after the token too, so the snapshot reports nothing but the end
        // of the interruption.
        let zones: [Zone] = [.sample("z1", name: "new"), .sample("z2")]
        #expect(names(core.received(try snapshot(zones, token: "t1"))) == ["resumed"])
        #expect(names(core.received(try zone(zones[0], token: "t1b"))) == ["+z1new"])
        #expect(names(core.received(try change("a", "v1", token: "t1b"))) == [])
        #expect(names(core.received(try change("b", "v3", token: "t3"))) == ["b@v3"])
        #expect(core.token == "t3" && core.pauseMilliseconds == 0)
        #expect(names(core.received(try snapshot([.sample("z2")], token: "t3"))) == ["resumed"])
        let gone = try zone(zones[0], gone: "moved", token: "t4")
        #expect(names(core.received(gone)) == ["-z1 moved"] && !core.hasEnded)
    }

    @Test func `of a zone ends behind the news that the zone has gone, whether that came or was missed`() throws {
        var core = SubscriptionCore(zone: "z1", token: nil)
        _ = core.received(try snapshot([.sample("z1")], token: "t0"))
        #expect(names(core.received(try change("a", "v1", zone: "z1", token: "t1"))) == ["a@v1"])
        var late = core
        let gone = try zone(.sample("z1"), gone: "deleted", token: "t2")
        #expect(names(core.received(gone)) == ["-z1 deleted"] && core.hasEnded)

        late.ended()
        #expect(names(try late.failed(error("busy", isRetryable: true))) == [] && !late.hasEnded)
        #expect(names(try late.failed(error("zone.unknown", isRetryable: false))) == ["-z1 left"] && late.hasEnded)
        var never = SubscriptionCore(zone: "z1", token: "t1")
        #expect(throws: KairanError.self) { try never.failed(error("zone.deleted", isRetryable: false)) }
    }

    private func zone(_ zone: Zone, gone reason: String? = nil, token: String) throws -> DaemonEvent {
        let reasonText = reason.map { "\"\($0)\"" } ?? "null"
        let described = String(decoding: try JSONEncoder().encode(zone), as: UTF8.self)
        return try event(
            """
            {"event":"zone","number":1,"token":"\(token)","deleted":\(reason != nil),"reason":\(reasonText),"zone":\(described)}
            """
        )
    }

    private func error(_ code: String, isRetryable: Bool) -> KairanError {
        KairanError(
            .refused,
            problem: Problem(
                type: code,
                title: code,
                status: 410,
                code: code,
                detail: "",
                fix: "",
                isRetryable: isRetryable
            )
        )
    }

    @Test func `reports an invalid token once, and throws if waiting does not help`() throws {
        var core = SubscriptionCore(container: nil, token: "t0")
        _ = try core.failed(error("token.expired", isRetryable: false))
        #expect(core.token == nil && core.pauseMilliseconds == 0)
        // Only when the stream stands: no change is missed while everything is read anew.
        #expect(names(core.received(try snapshot([.sample("z1")], token: "t7"))) == ["expired"])
        core = SubscriptionCore(container: nil, token: nil)
        #expect(throws: KairanError.self) { try core.failed(error("token.expired", isRetryable: false)) }
        #expect(throws: KairanError.self) { try core.failed(error("zone.unknown", isRetryable: false)) }
        var pauses: [Int64] = []
        for _ in 0..<12 {
            _ = try core.failed(error("busy", isRetryable: true))
            pauses.append(core.pauseMilliseconds)
        }
        #expect(pauses == pauses.sorted() && pauses.first == 250 && pauses.last == 15_000)
    }

    @Test func `of a container leaves the zones of others out, and still moves on`() throws {
        var core = SubscriptionCore(container: "c", token: nil)
        let zones: [Zone] = [.sample("z1"), .sample("z2", container: "d")]
        #expect(names(core.received(try snapshot(zones, token: "t0"))) == ["started z1"])
        #expect(names(core.received(try change("a", "v1", zone: "z2", token: "t1"))) == [])
        #expect(core.token == "t1")
        #expect(names(core.received(try change("a", "v1", zone: "z1", token: "t2"))) == ["a@v1"])
    }
}
