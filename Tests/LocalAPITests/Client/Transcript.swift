import FoundationEssentials
import KairanClient
import TestSupport

/// The answers that a random application receives, without the parts that differ from run to run: versions, ids and
/// tokens are numbered in the order in which they are first seen, times are left out.
actor Transcript {
    private(set) var lines: [String] = []
    private let client: DaemonClient
    private var generator: SeededGenerator
    private var zones: [String] = []
    /// By zone: in another one a version may not exist, or by chance be the present one.
    private var versions: [String: [String]] = [:]
    private var tokens: [String] = []
    private var numbers: [String: Int] = [:]

    private static let names = [
        "a", "b", "caf\u{E9}", "cafe\u{301}", "..", "", "line\nend", String(repeating: "n", count: 256),
    ]
    private static let fields = ["n", "text", "sum", "tags", "x\u{0}", "..."]
    private static let values: [RecordValue] = [
        "a", "caf\u{E9}", "", 1, 2, -3, 1.5, 2.0, true, false, nil, ["a", 1], [], .bytes([1, 2]),
        .date(Date(timeIntervalSince1970: 1_700_000_000.125)), .location(latitude: 1, longitude: 2),
        .location(latitude: 95, longitude: 2), .counter(3), .counter(-1), .set(["x", "y"]), .set([]), .set(["x", "x"]),
        .list([.counter(1)]), .set([["x"]]), .reference(zone: nil, record: "b"), .reference(zone: "no id", record: "b"),
        .double(.infinity),
    ]
    private static let conditions: [String?] = [
        nil, "n = 1", "n > 0 and n <= 2", "text begins with \"caf\"", "n between 0 and 2", "not exists(n)", "n is null",
        "tags contains \"x\"", "n in (1, 2, \"a\")", "@name = \"a\"", "sum >= 3", "n near (1, 2, 1000)", "n =",
        "banana!",
        "n matches \"a\"", "@creator = \"x\"", "n = date(\"2023-11-14T22:13:20.125Z\")",
    ]
    private static let orders = [
        [], ["n"], ["-n", "text"], ["@name"], ["-@name"], ["@no"], ["n", "n", "n", "n", "n"],
    ]

    init(_ kairan: Kairan, seed: UInt64) {
        client = kairan.client
        generator = SeededGenerator(seed: seed)
    }

    /// Sends random requests.
    func run(_ count: Int) async {
        await note("zone") { try await $0.zone(of: $0.client.createZone(name: "first", container: "org.example.a")) }
        for _ in 0..<count {
            switch Int.random(in: 0..<24, using: &generator) {
            case 0: await changeZones()
            case 1..<9: await write()
            case 9..<12: await writeMany()
            case 12..<16: await read()
            case 16..<20: await query()
            default: await changes()
            }
        }
    }

    private func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    private var zone: String {
        let known = zones + ["first", "org.example.a/first", "nothing", "org.example.b/default"]
        return chance(70) ? zones[zones.count - 1] : pick(known)
    }

    // MARK: Requests

    private func changeZones() async {
        let (name, container, zone) = (
            pick(["first", "second", "a/b", "default", ""]), pick(["org.example.a", "org..b", "kairan.x"]), zone
        )
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
            await note("create \(name.debugDescription) in \(container)") {
                try await $0.zone(of: $0.client.createZone(name: name, container: container))
            }
        case 1: await note("default") { try await $0.zone(of: $0.client.defaultZone(of: "org.example.a")) }
        case 2:
            await note("delete zone") {
                try await $0.client.deleteZone(zone, reason: "it is over")
                return "done"
            }
        default:
            await note("zones") { try await $0.text(of: $0.client.zones()) }
        }
    }

    private func randomWrite(in zone: String) -> RecordWrite {
        let name = chance(85) ? pick(Array(Self.names.prefix(4))) : pick(Self.names)
        let version: String? =
            chance(40) ? (chance(30) ? pick(["", "no version"]) : pick((versions[zone] ?? []) + [""])) : nil
        guard chance(85) else { return .deletion(name, ifVersion: version) }
        var write = RecordWrite(
            name,
            type: chance(50) ? pick(["T", "T", "U", "kairan.t", ""]) : nil,
            ifVersion: version
        )
        for _ in 0..<Int.random(in: 0...2, using: &generator) {
            write.fields[chance(95) ? pick(Array(Self.fields.prefix(4))) : pick(Self.fields)] = pick(Self.values)
        }
        if chance(15) { write.removedFields = [pick(Self.fields)] }
        if chance(15) { write.increments[pick(["sum", "n"])] = Int64.random(in: -3...3, using: &generator) }
        if chance(15) { write.insertions[pick(["tags", "n"])] = [pick(["x", "z", 1])] }
        if chance(10) { write.withdrawals[pick(["tags", "n"])] = [pick(["x", "y"])] }
        if chance(10) { write.replacesAll = true }
        if chance(10) { write.parent = pick([.set("b"), .clear]) }
        return write
    }

    private func write() async {
        let zone = zone
        let write = randomWrite(in: zone)
        await note("write \(write.name.debugDescription)") {
            try await $0.text(of: $0.client.save(write, in: zone))
        }
    }

    private func writeMany() async {
        let zone = zone
        var writes = (0..<Int.random(in: 0...4, using: &generator)).map { _ in randomWrite(in: zone) }
        // Where a record is in the feed that one request writes twice is not compared.
        var names: Set<Name> = []
        writes.removeAll { !names.insert(Name($0.name)).inserted }
        let isAtomic = chance(50)
        if !isAtomic, writes.count > 1 {
            // The daemon assigns default types before it knows which writes are refused; a write behind a refused one
            // then lacks its type.
            for index in writes.indices where !writes[index].isDeletion && writes[index].type == nil {
                writes[index].type = "T"
            }
        }
        if isAtomic {
            await note("all of \(writes.count)") { [writes] transcript in
                try await transcript.text(of: transcript.client.saveAtomically(writes, in: zone))
            }
        } else {
            await note("each of \(writes.count)") { [writes] transcript in
                try await transcript.text(of: transcript.client.saveEach(writes, in: zone).results)
            }
        }
    }

    private func read() async {
        let (zone, name, after, limit) = (zone, pick(Self.names), pick([nil, "a", "b"]), pick([1, 3, 200, 0]))
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: await note("read \(name.debugDescription)") { try await $0.text(of: $0.client.record(name, in: zone)) }
        case 1:
            let names = [name] + Self.names.prefix(4)
            await note("fetch") { try await $0.text(of: $0.client.fetch(names, in: zone, keys: ["n"])) }
        case 2:
            await note("page of \(limit)") {
                let page = try await $0.client.records(in: zone, after: after, limit: limit)
                return $0.text(of: page.records) + " next \(page.next ?? "none")"
            }
        default:
            await note("describe") { try await $0.zone(of: $0.client.zone(zone)) }
        }
    }

    private func query() async {
        let zone = zone
        let question = RecordQuery(
            type: pick(["T", "T", "T", "U", "Record", "kairan.message", ""]),
            where: pick(Self.conditions),
            sort: pick(Self.orders),
            desiredKeys: chance(20) ? ["n", "none"] : nil
        )
        let limit = pick([1, 2, 200, 1001])
        await note("query \(question)") {
            var answer = try await $0.client.query(question, in: zone, limit: limit)
            var pages = [$0.text(of: answer.records)]
            while let cursor = answer.cursor, pages.count < 5 {
                answer = try await $0.client.query(question, in: zone, limit: limit, cursor: cursor)
                pages.append($0.text(of: answer.records))
            }
            return pages.joined(separator: " | ")
        }
        await note("cursor of another query") {
            _ = try await $0.client.query(RecordQuery(type: "T"), in: zone, cursor: "00")
            return "taken"
        }
    }

    private func changes() async {
        let (zone, isAll) = (zone, chance(40))
        let token: String? = chance(70) ? pick(tokens + ["no token"]) : nil
        let limit = pick([1, 2, 5, 200])
        await note("changes of \(isAll ? "all" : "a zone")") {
            var page = try await $0.client.changes(zone: isAll ? nil : zone, since: token, limit: limit)
            var pages = $0.text(of: page)
            $0.tokens.append(page.token)
            // Whether more follows may be found out only by another request.
            while page.more {
                page = try await $0.client.changes(zone: isAll ? nil : zone, since: page.token, limit: 200)
                pages += $0.text(of: page)
            }
            $0.tokens.append(page.token)
            return pages
        }
    }

    // MARK: Notes

    private func note(_ what: String, _ body: (isolated Transcript) async throws -> String) async {
        do {
            lines.append(what + ": " + (try await body(self)))
        } catch let error as KairanError {
            lines.append(what + ": " + text(of: error.problem))
        } catch {
            lines.append(what + ": \(error)")
        }
    }

    private func number(_ kind: String, _ text: String) -> String {
        if numbers[kind + text] == nil { numbers[kind + text] = numbers.keys.count { $0.hasPrefix(kind) } }
        return "\(kind)\(numbers[kind + text] ?? 0)"
    }

    private func zone(of zone: Zone) -> String {
        if !zones.contains(zone.zone) { zones.append(zone.zone) }
        return
            "\(number("zone ", zone.zone)) \(zone.name) \(zone.container) \(zone.kind) \(zone.database) \(zone.isOwn) "
            + "\(zone.rights) \(zone.records)"
    }

    private func text(of record: Record) -> String {
        if versions[record.zone]?.contains(record.version) != true {
            versions[record.zone, default: []].append(record.version)
        }
        let version = number("v", record.version + record.zone)
        return "\(number("zone ", record.zone)) \(record.name) \(record.type) \(record.fields) \(version) "
            + "\(record.isDeleted) \(record.conflicts) \(record.parent ?? "-")"
    }

    private func text(of zones: [Zone]) -> String { zones.map { zone(of: $0) }.joined(separator: ", ") }

    private func text(of page: ChangeSet) -> String {
        let zones = page.zones.map { "\(zone(of: $0.zone)) \($0.isDeleted) \($0.reason ?? "")" }
        let changes = page.changes.map { "\($0.kind) \($0.bySync) \(text(of: $0.record))" }
        return (zones + changes).map { "\n    " + $0 }.joined()
    }

    private func text(of records: [Record]) -> String { records.map { text(of: $0) }.joined(separator: "; ") }

    private func text(of outcomes: [BatchOutcome.Outcome]) -> String {
        outcomes.map { outcome in
            switch outcome {
            case .saved(let record): text(of: record)
            case .refused(let problem): text(of: problem)
            }
        }.joined(separator: "; ")
    }

    private func text(of problem: Problem) -> String {
        let records = [problem.current, problem.ancestor].map { $0.map { text(of: $0) } ?? "none" }
        let version =
            problem.currentVersion.map { $0.isEmpty ? "empty" : $0 == problem.current?.version ? "that" : "?" } ?? "-"
        return "\(problem.status) \(problem.code) (\(problem.title)) \(problem.isRetryable) \(version) \(records) "
            + "\(problem.record ?? "-") \(problem.index.map { "\($0)" } ?? "-")"
    }
}
