import HTTPTypes
import Hummingbird
import KairanClient
import Node
import Synchronization
import Testing

@testable import LocalAPI

@Suite struct `The routes for an application` {
    private let node = FakeNode()
    private static let notes = ApplicationBinding(
        name: "notes",
        subject: .user(1),
        containers: ["org.example"],
        rate: RequestRate(perSecond: 1, burst: 2) ?? .applicationDefault,
        storageByteCountMax: 7
    )

    @Test func `hand every handler a node that is narrowed to its containers`() async throws {
        let responder = AskedBy(.bound([Self.notes]), LocalRouter(node: node).makeResponder())
        let client = RouterClient(responder)
        let answer = try await client.executeRequest(uri: "/v1/zones", method: .get, headers: [:], body: nil)
        #expect(answer.status == .ok)
        let scopes = node.state.withLock { $0.scopes }
        #expect(scopes == [ZoneScope(containers: ["org.example"], byteCountMax: 7)])
    }

    @Test func `refuse a request over the rate with the time after which there is room`() async throws {
        let time = Mutex<UInt64>(0)
        let limiter = RequestLimiter(now: { time.withLock { $0 } })
        let responder = AskedBy(.bound([Self.notes]), LocalRouter(node: node, limiter: limiter).makeResponder())
        let client = RouterClient(responder)
        func get(_ path: String) async throws -> RouterClient.Answer {
            try await client.executeRequest(uri: path, method: .get, headers: [:], body: nil)
        }
        // A request that is refused for another reason counts too.
        #expect(try await get("/v1/zones").status == .ok)
        #expect(try await get("/v1/account").status == .forbidden)
        let refused = try await get("/v1/zones")
        #expect(refused.status == .tooManyRequests && refused.headers[.retryAfter] == "1")
        let problem = try JSONParser.parse(Array(String(buffer: refused.body).utf8))
        #expect(problem["code"] == "request.too_many" && problem["retryable"] == true)
        #expect(problem["retry_after_ms"] == 1_000)
        time.withLock { $0 = 1_000_000_000 }
        #expect(try await get("/v1/zones").status == .ok)
    }

    @Test func `do not slow an administrator down, and give strangers one rate for all`() {
        let limiter = RequestLimiter(now: { 0 })
        for _ in 0..<10_000 { #expect(limiter.wait(for: .admin) == nil) }
        let granted = (0..<100).filter { _ in limiter.wait(for: .other(seesStatus: true)) == nil }
        #expect(granted.count == Int(RequestRate.others.burst))
    }

    @Test func `answer no request without a known caller`() async throws {
        let client = RouterClient(LocalRouter(node: node).makeResponder())
        for path in ["/v1/status", "/v1/zones", "/v1/openapi.yaml"] {
            let answer = try await client.executeRequest(uri: path, method: .get, headers: [:], body: nil)
            #expect(answer.status == .forbidden, "\(path)")
        }
        #expect(node.calls.isEmpty)
    }
}
