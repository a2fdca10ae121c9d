import Foundation
import TestSupport
import Testing
import Wire

@testable import Identity

@Suite struct `The decision at a start` {
    private typealias Facts = StateFacts

    private static let machine: [UInt8] = [7]
    private static let incarnation: Incarnation = {
        var generator = SeededGenerator(seed: 1)
        return Incarnation(using: &generator)
    }()
    private static let other: Incarnation = {
        var generator = SeededGenerator(seed: 2)
        return Incarnation(using: &generator)
    }()

    private static let stores: [IncarnationDecision.StoreState] = [
        .missing, .unreadable, .present(incarnation: incarnation, commitNumber: 10),
    ]
    private static let sentinels: [IncarnationDecision.SentinelState] = [
        .missing, .damaged,
        .present(Sentinel(incarnation: incarnation, commitNumber: 9, machine: machine)),
        .present(Sentinel(incarnation: incarnation, commitNumber: 11, machine: machine)),
        .present(Sentinel(incarnation: other, commitNumber: 9, machine: machine)),
        .present(Sentinel(incarnation: incarnation, commitNumber: 9, machine: [8])),
    ]

    /// Every combination of every file's states, of a person's answers, and of the other devices that are present.
    private static let all: [Facts] = {
        var all: [Facts] = []
        let notes: [Facts.Notes] = [[], .founding, .lossAccepted, .recovering, [.lossAccepted, .recovering]]
        func add(_ change: (inout Facts) -> Void) {
            var one = facts()
            change(&one)
            all.append(one)
        }
        let parts = Facts.Part.allCases
        let keys = parts.flatMap { device in parts.flatMap { secrets in parts.map { (device, secrets, $0) } } }
        let contents = parts.flatMap { key in stores.flatMap { store in sentinels.map { (key, store, $0) } } }
        let flags = [(false, false), (true, false), (false, true), (true, true)]
        let rest = Facts.Agreement.allCases.flatMap { one in
            notes.flatMap { note in flags.map { (one, note, $0.0, $0.1) } }
        }
        for (device, secrets, log) in keys {
            for (storeKey, store, sentinel) in contents {
                for (agreement, note, hasTraces, canFetch) in rest {
                    add { facts in
                        (facts.deviceKey, facts.accountKey, facts.accountLog) = (device, secrets, log)
                        (facts.storeKey, facts.store, facts.sentinel) = (storeKey, store, sentinel)
                        (facts.agreement, facts.notes) = (agreement, note)
                        (facts.hasTraces, facts.canFetch) = (hasTraces, canFetch)
                    }
                }
            }
        }
        return all
    }()

    private static func facts(_ change: (inout Facts) -> Void = { _ in }) -> Facts {
        var facts = Facts(
            deviceKey: .present,
            accountKey: .present,
            accountLog: .present,
            agreement: .whole,
            hasTraces: true,
            storeKey: .present,
            store: stores[2],
            sentinel: sentinels[2],
            machine: machine,
            canFetch: false,
            notes: []
        )
        change(&facts)
        return facts
    }

    @Test func `keys are made in an empty directory, on request, or after an interrupted first start`() {
        for facts in Self.all {
            guard case .found = StartDecision.decide(facts) else { continue }
            let isBlank =
                [facts.deviceKey, facts.accountKey, facts.accountLog, facts.storeKey].allSatisfy { $0 == .missing }
                && !facts.hasTraces && facts.store == .missing && facts.sentinel == .missing
            #expect(isBlank || facts.notes.contains(.founding), "\(facts)")
        }
    }

    @Test func `no device starts that lacks a key, secrets or a log, or has one of another set`() {
        for facts in Self.all {
            guard case .resume = StartDecision.decide(facts) else { continue }
            #expect(facts.deviceKey == .present && facts.accountKey == .present && facts.accountLog == .present)
            #expect(facts.agreement == .whole || facts.agreement == .older)
            #expect(facts.storeKey != .damaged && facts.store != .unreadable)
            // A store that has secrets has its key.
            #expect(facts.storeKey == .present || facts.store == .missing, "\(facts)")
        }
    }

    @Test func `a device with a known loss is recovering, refused, or has accepted the loss`() {
        for facts in Self.all {
            guard case .resume(let life, lack: nil) = StartDecision.decide(facts) else { continue }
            let isAccepted = facts.notes.contains(.lossAccepted)
            #expect(facts.store != .missing || isAccepted, "\(facts)")
            #expect(!facts.notes.contains(.recovering) || isAccepted, "\(facts)")
            #expect(facts.agreement != .older || isAccepted, "\(facts)")
            if case .renew(let reason) = life { #expect(!reason.showsLoss || isAccepted, "\(facts)") }
        }
    }

    @Test func `a number is never used twice: a store that is not the one left begins another incarnation`() {
        for facts in Self.all {
            guard case .resume(.continue, lack: _) = StartDecision.decide(facts) else { continue }
            #expect(facts.store == Self.stores[2] && facts.sentinel == Self.sentinels[2], "\(facts)")
        }
    }

    @Test func `a damaged file is never replaced`() {
        for facts in Self.all
        where [facts.deviceKey, facts.accountKey, facts.accountLog, facts.storeKey].contains(.damaged)
            || facts.store == .unreadable
        {
            guard case .refuse(.damaged(let files)) = StartDecision.decide(facts) else {
                Issue.record("\(facts)")
                continue
            }
            #expect(!files.isEmpty)
        }
    }

    @Test func `each refusal names the directory and a way out`() {
        var seen: Set<StartDecision.Refusal> = []
        for facts in Self.all {
            guard case .refuse(let refusal) = StartDecision.decide(facts) else { continue }
            seen.insert(refusal)
        }
        for refusal in seen {
            let words = refusal.words(in: "/var/lib/kairan")
            #expect(words.contains("/var/lib/kairan") && words.lowercased().contains("restore"), "\(words)")
        }
        for refusal in RelayStart.Refusal.allCases {
            #expect(refusal.words(in: "/var/lib/kairan").contains("accept-loss"))
        }
    }

    @Test func `accepting a loss is enough wherever the way out names it`() {
        for facts in Self.all where !facts.notes.contains(.lossAccepted) {
            guard case .refuse(let refusal) = StartDecision.decide(facts),
                refusal.words(in: "DIR").contains("accept-loss")
            else { continue }
            var accepted = facts
            accepted.notes.insert(.lossAccepted)
            // The command moves a store aside that cannot be used.
            if refusal == .storeKeyMissing { accepted.store = .missing }
            if case .refuse(let again) = StartDecision.decide(accepted) { #expect(again != refusal, "\(facts)") }
        }
    }

    @Test func `beginning anew is enough wherever the way out names it`() {
        for facts in Self.all where facts.notes.isEmpty {
            guard case .refuse(let refusal) = StartDecision.decide(facts),
                refusal.words(in: "DIR").contains("begin-anew")
            else { continue }
            var anew = facts
            (anew.deviceKey, anew.accountKey, anew.accountLog) = (.missing, .missing, .missing)
            anew.notes = .founding
            switch StartDecision.decide(anew) {
            case .found: break
            // It has a way out of its own.
            case .refuse(.storeKeyMissing): break
            case .refuse, .resume: Issue.record("\(facts)")
            }
        }
    }

    @Test func `a relay's key and its database show each other's loss`() {
        for hasKey in [true, false] {
            for store in RelayStart.StoreState.allCases {
                let decision = RelayStart.decide(hasKey: hasKey, store: store, isLossAccepted: false)
                let isLost = hasKey && store == .missing || !hasKey && store == .used
                #expect((decision == .go) == !isLost)
                #expect(RelayStart.decide(hasKey: hasKey, store: store, isLossAccepted: true) == .go)
            }
        }
    }

    // MARK: The table

    /// The rows of the table in `docs/operations/store.md`.
    private static func rows() throws -> [[String]] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("docs/operations/store.md"), encoding: .utf8)
        let lines = text.split(separator: "\n").map(String.init)
        let start = try #require(lines.firstIndex { $0.hasPrefix("| device.key | account.key |") })
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    private static func matches(_ cell: String, _ part: Facts.Part) -> Bool {
        switch cell {
        case "any": true
        case "there": part == .present
        case "missing": part == .missing
        case "damaged": part == .damaged
        case "not damaged": part != .damaged
        default: false
        }
    }

    private static func matches(_ cell: String, store: IncarnationDecision.StoreState) -> Bool {
        switch cell {
        case "any": true
        case "missing": store == .missing
        case "damaged": store == .unreadable
        case "there": if case .present = store { true } else { false }
        default: false
        }
    }

    private static func matches(_ cell: String, sentinel: IncarnationDecision.SentinelState) -> Bool {
        switch cell {
        case "any": true
        case "missing": sentinel == .missing
        case "in step": sentinel == sentinels[2]
        case "missing, damaged or of another machine":
            sentinel == .missing || sentinel == .damaged || sentinel == sentinels[5]
        case "ahead or of another life": sentinel == sentinels[3] || sentinel == sentinels[4]
        default: false
        }
    }

    private static func matches(_ cell: String, agreement: Facts.Agreement) -> Bool {
        switch cell {
        case "any": true
        case "yes": agreement == .whole
        case "other account": agreement == .otherAccount
        case "other device": agreement == .otherDevice
        case "older log": agreement == .older
        default: false
        }
    }

    /// The table's name of a decision.
    private static func name(_ decision: StartDecision) -> String {
        switch decision {
        case .found(.firstStart): "first start"
        case .found: "new device, with the store"
        case .resume(.continue, lack: nil): "continue"
        case .resume(.renew, lack: nil): "new incarnation"
        case .resume(.recovering, lack: nil), .resume(.firstStart, lack: _): "new incarnation"
        case .resume(_, lack: .fetched): "recovering"
        case .resume(_, lack: .older): "recovering (`store.older`)"
        case .refuse(.keysMissing): "refused: keys missing"
        case .refuse(.damaged): "refused: damaged"
        case .refuse(.otherAccount): "refused: other account"
        case .refuse(.otherDevice): "refused: other device"
        case .refuse(.accountOlder): "refused: older log"
        case .refuse(.storeKeyMissing): "refused: no key of the store"
        case .refuse(.storeMissing): "refused: store missing"
        }
    }

    @Test func `equals the table for operators, for every combination`() throws {
        let rows = try Self.rows()
        #expect(rows.count > 12 && rows.allSatisfy { $0.count == 10 }, "\(rows)")
        var used: Set<Int> = []
        for facts in Self.all where facts.notes.isEmpty {
            // The first row that fits decides.
            let index = rows.firstIndex { row in
                Self.matches(row[0], facts.deviceKey) && Self.matches(row[1], facts.accountKey)
                    && Self.matches(row[2], facts.accountLog) && Self.matches(row[3], agreement: facts.agreement)
                    && (row[4] == "any" || (row[4] == "none") != facts.hasTraces)
                    && Self.matches(row[5], facts.storeKey) && Self.matches(row[6], store: facts.store)
                    && Self.matches(row[7], sentinel: facts.sentinel)
                    && (row[8] == "any" || (row[8] == "yes") == facts.canFetch)
            }
            guard let index else {
                Issue.record("no row for \(facts)")
                return
            }
            used.insert(index)
            let name = Self.name(StartDecision.decide(facts))
            guard rows[index][9] == name else {
                Issue.record("row \(index + 1) says \(rows[index][9]), the decision is \(name): \(facts)")
                return
            }
        }
        #expect(used.count == rows.count, "rows that nothing reaches: \(Set(rows.indices).subtracting(used))")
    }
}
