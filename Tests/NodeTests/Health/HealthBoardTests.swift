import Foundation
import Synchronization
import Testing

@testable import Node

@Suite struct `The health board` {
    /// A board whose time a test sets, in milliseconds.
    private final class Board: Sendable {
        private let time = Time()
        let board: HealthBoard

        init() { board = HealthBoard { [time] in time.value.withLock { $0 } } }

        func wait(_ milliseconds: UInt64) { time.value.withLock { $0 += milliseconds } }

        func warn(_ code: String, _ severity: HealthWarning.Severity = .warning, _ message: String = "") {
            board.set(HealthWarning(code: code, severity: severity, message: message, fix: ""))
        }

        var shown: [String] { board.shown.map(\.code) }
    }

    private final class Time: Sendable { let value = Mutex<UInt64>(1_000) }

    @Test func `keeps one warning a code, the worst first, until it is cleared`() {
        let test = Board()
        test.warn("keys.unsealed", .info)
        test.warn("clock.ahead", .warning)
        test.warn("storage.damaged", .critical)
        test.warn("keys.unsealed", .info, "newer")
        #expect(test.board.all.map(\.code) == ["storage.damaged", "clock.ahead", "keys.unsealed"])
        #expect(test.board.all.last?.message == "newer")
        test.board.clear("storage.damaged")
        test.board.clear("unknown")
        #expect(test.shown == ["clock.ahead", "keys.unsealed"])
        #expect(test.board.contains("clock.ahead") && !test.board.contains("storage.damaged"))
    }

    @Test func `shows a warning that may pass by itself once it has stood for its time`() {
        let test = Board()
        test.warn("mdns.unavailable")
        test.wait(4_999)
        // A warning that is repeated meanwhile stands for as long.
        test.warn("mdns.unavailable", .warning, "again")
        #expect(test.shown.isEmpty && test.board.all.count == 1)
        test.wait(1)
        #expect(test.shown == ["mdns.unavailable"])
        test.board.clear("mdns.unavailable")
        test.warn("mdns.unavailable")
        #expect(test.shown.isEmpty, "it begins anew")
    }

    @Test func `hides the effects of a cause that is shown`() {
        let test = Board()
        test.warn("mdns.no_interface", .info)
        test.wait(5_000)
        test.warn("mdns.unavailable")
        #expect(test.shown == ["mdns.no_interface"], "the cause is not shown yet")
        test.wait(5_000)
        #expect(test.shown == ["mdns.unavailable"])
        test.board.clear("mdns.unavailable")
        #expect(test.shown == ["mdns.no_interface"])
    }

    @Test func `knows what was acknowledged until it becomes worse`() {
        let test = Board()
        test.board.acknowledge("relay.storage_unsafe", .warning)
        test.warn("relay.storage_unsafe", .warning)
        #expect(test.board.shown.map(\.isAcknowledged) == [true])
        test.warn("relay.storage_unsafe", .critical)
        #expect(test.board.shown.map(\.isAcknowledged) == [false])
        test.warn("relay.storage_unsafe", .warning)
        test.board.acknowledge("relay.storage_unsafe", nil)
        #expect(test.board.shown.map(\.isAcknowledged) == [false])
    }

    @Test func `has a rule for each code of the document, whose effects are codes too`() throws {
        let codes = Set(HealthRule.all.keys)
        #expect(try OperationsPage("health").codes == codes)
        for (code, rule) in HealthRule.all {
            #expect(rule.effects.isSubset(of: codes) && !rule.effects.contains(code), "\(code)")
        }
    }
}

/// A page of `docs/operations` with a table whose first column has codes.
struct OperationsPage {
    let codes: Set<String>

    init(_ name: String) throws {
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let text = try String(contentsOf: root.appending(path: "docs/operations/\(name).md"), encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
        codes = Set(rows.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) })
    }
}
