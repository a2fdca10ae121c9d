import KairanInterface
import Foundation
import Logging
import Synchronization
import Testing

@testable import Node

@Suite struct `The health board` {
    /// A board whose time a test sets, in milliseconds.
    private final class Board: Sendable {
        private let time = Time()
        private let catcher = LogCatcher()
        let board: HealthBoard

        init(isLogging: Bool = true) {
            let logger = Logger(label: "test") { [catcher] _ in catcher }
            board = HealthBoard(logger: logger) { [time] in time.value.withLock { $0 } }
            if isLogging { board.startLogging() }
        }

        /// The logged lines, each as level, event and code.
        var logged: [String] {
            catcher.text.split(separator: "\n").map { line in
                let words = line.split(separator: " ").prefix(while: { !$0.hasPrefix("[") }).joined(separator: " ")
                let code = line.split(separator: "\"warning.code\": ").last?.prefix { $0 != "," && $0 != "]" } ?? ""
                return "\(words) \(code)"
            }
        }

        var log: String { catcher.text }

        func wait(_ milliseconds: UInt64) { time.value.withLock { $0 += milliseconds } }

        func warn(
            _ code: String,
            _ severity: HealthWarning.Severity = .warning,
            _ message: String = "",
            facts: [String: String] = [:]
        ) {
            board.set(HealthWarning(code: code, severity: severity, message: message, fix: "a fix", facts: facts))
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

    @Test func `knows acknowledged warnings until they become worse`() {
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

    @Test func `logs a warning once when it is raised, by its severity, and once when it ends`() {
        let test = Board()
        test.warn("clock.ahead", .warning, "by an hour", facts: ["peer.id": "5cmookim"])
        test.warn("clock.ahead", .warning, "by two hours", facts: ["peer.id": "5cmookim"])
        test.warn("storage.damaged", .critical)
        test.warn("keys.unsealed", .info)
        test.board.look()
        test.board.clear("clock.ahead")
        test.board.clear("clock.ahead")
        test.board.clear("clock.behind")
        #expect(
            test.logged == [
                "warning health warning clock.ahead", "error health warning storage.damaged",
                "notice health warning keys.unsealed", "info health warning ended clock.ahead",
            ]
        )
        #expect(test.log.contains(#""detail": by an hour"#) && test.log.contains(#""fix": a fix"#), "\(test.log)")
        #expect(test.log.contains(#""peer.id": 5cmookim"#) && !test.log.contains("two hours"))
        test.warn("clock.ahead", .warning, "again")
        #expect(test.logged.last == "warning health warning clock.ahead")
    }

    @Test func `logs a warning that has become worse, or is about something else`() {
        let test = Board()
        for severity in [HealthWarning.Severity.warning, .critical, .warning, .critical] {
            test.warn("relay.storage_unsafe", severity)
        }
        for zone in ["one", "two", "one", "two"] { test.warn("log.forked", .critical, facts: ["zone.id": zone]) }
        #expect(
            test.logged == [
                "warning health warning relay.storage_unsafe", "error health warning relay.storage_unsafe",
                "error health warning log.forked", "error health warning log.forked",
            ]
        )
        for number in 0..<200 { test.warn("log.forked", .critical, facts: ["zone.id": "\(number)"]) }
        #expect(test.logged.count == 2 + 64, "a peer does not fill the log")
    }

    @Test func `logs a warning that may pass by itself once it has stood for its time`() {
        let test = Board()
        test.warn("mdns.unavailable")
        #expect(test.board.nextDue == 6_000)
        test.wait(4_999)
        test.board.look()
        #expect(test.logged.isEmpty)
        test.board.clear("mdns.unavailable")
        #expect(test.logged.isEmpty && test.board.nextDue == nil, "there is nothing that could end")
        test.warn("mdns.unavailable")
        test.wait(5_000)
        test.board.look()
        test.board.look()
        #expect(test.logged == ["warning health warning mdns.unavailable"] && test.board.nextDue == nil)
    }

    @Test func `logs nothing that follows from another warning, also while that one has not stood for its time`() {
        let test = Board()
        test.warn("mdns.no_interface", .info)
        test.wait(1)
        test.warn("mdns.unavailable")
        test.wait(5_000)
        test.board.look()
        test.warn("clock.behind")
        test.warn("clock.was_ahead")
        #expect(
            test.logged == ["warning health warning mdns.unavailable", "warning health warning clock.behind"]
        )
        test.board.clear("mdns.unavailable")
        #expect(
            test.logged.suffix(2) == [
                "info health warning ended mdns.unavailable", "notice health warning mdns.no_interface",
            ]
        )
        // One that was logged before its cause is not logged again behind it.
        test.warn("storage.displaced", .critical)
        test.warn("mdns.unavailable")
        test.wait(5_000)
        test.board.look()
        test.board.clear("mdns.unavailable")
        #expect(test.logged.count { $0.hasSuffix("mdns.no_interface") } == 1)
    }

    @Test func `logs acknowledged warnings as information, and begins once it knows them`() {
        let test = Board(isLogging: false)
        test.warn("relay.storage_unsafe", .warning)
        test.warn("clock.ahead", .warning)
        test.board.acknowledge("relay.storage_unsafe", .warning)
        #expect(test.logged.isEmpty && test.board.nextDue == nil)
        test.board.startLogging()
        #expect(
            test.logged == ["warning health warning clock.ahead", "info health warning relay.storage_unsafe"]
        )
        test.warn("relay.storage_unsafe", .critical)
        #expect(test.logged.last == "error health warning relay.storage_unsafe")
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
