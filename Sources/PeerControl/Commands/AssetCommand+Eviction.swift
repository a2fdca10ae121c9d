import ArgumentParser
import FoundationEssentials
import KairanClient

extension AssetCommand {
    /// Drops the content of one, or of many, that other devices keep.
    struct AssetEvict: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "evict",
            abstract: "Drop content on this device that other devices have promised to keep.",
            discussion: """
                The command frees the room of a content, and never drops the last copies: this device asks connected ones first, and drops \
                the content once as many as --copies says have promised to keep it. A promise stands for a day, as long as a record names \
                the content. The state is evicted then; `kairan asset get` and `kairan asset fetch` bring it back.

                Only devices of this account count. With --others those of other accounts do as well: their owners may break a promise, or \
                leave the zone. A promise protects from no broken disk: ask for more copies where that matters.

                With --all the command drops the content of all assets of the zone that are here; it says how much that is, and asks. \
                What cannot be dropped is listed, and the exit code is 1 then.

                EXAMPLES:
                  kairan asset evict holiday lake picture
                  kairan asset evict holiday lake picture --copies 2
                  kairan asset evict holiday --all --larger-than 10M
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Argument(help: "The record's name; left out with --all.")
        var record: String?
        @Argument(help: "The field; left out with --all.")
        var field: String?
        @Option(help: ArgumentHelp("The item of a field that is a list or a set, from 0.", valueName: "index"))
        var item: Int?
        @Option(
            help: ArgumentHelp("The number of other devices that have to promise to keep it.", valueName: "number")
        )
        var copies = 1
        @Flag(help: "Count devices of other accounts as well.")
        var others = false
        @Flag(help: "Drop the content of all assets of the zone that are here.")
        var all = false
        @Option(help: ArgumentHelp("With --all: only content of more bytes than this, such as 10M.", valueName: "size"))
        var largerThan: ByteCountOption?
        @OptionGroup var consent: ConsentOption

        func validate() throws {
            guard (1...64).contains(copies) else { throw ValidationError("The number of copies is 1 to 64.") }
            guard item ?? 0 >= 0 else { throw ValidationError("Items are counted from 0.") }
            if all {
                guard record == nil, item == nil else {
                    throw ValidationError("--all is about the whole zone: leave out the record.")
                }
            } else {
                guard record != nil, field != nil else {
                    throw ValidationError("Name a record and a field, or use --all.")
                }
                guard largerThan == nil, !consent.isGiven else {
                    throw ValidationError("--larger-than and --yes belong to --all.")
                }
            }
        }

        func run(in session: Session) async throws {
            guard let record, let field else { return try await evictAll(session) }
            let place = Asset.Place(zone: zone, record: record, field: field, item: item)
            let request = AssetRequests.evict(place, copies: copies, countsOthers: others)
            let document = try await session.client.document(request)
            let style = await session.styleWithNames()
            try session.show(document: document) { AssetText.evicted($0, style: style) }
        }

        private func evictAll(_ session: Session) async throws {
            var seen: Set<String> = []
            var found: [Asset] = []
            for try await asset in session.client.assets.all(in: zone) {
                // There is nothing to drop of a linked content.
                guard asset.state == .present, asset.linked != true else { continue }
                // Several records may name one content.
                guard asset.size > largerThan?.byteCount ?? 0 || largerThan == nil, seen.insert(asset.asset).inserted
                else { continue }
                found.append(asset)
            }
            if !found.isEmpty { try await session.confirm(consent) { .eviction(of: found, copies: copies) } }
            var display = ProgressDisplay(session)
            defer { display.end() }
            let total = found.reduce(0) { $0 &+ $1.size }
            let wish = EvictionWish(copies: copies, countsOthers: others, assets: session.client.assets)
            var outcomes: [EvictionResult] = []
            try await wish.evict(found) { result in
                outcomes.append(result)
                if session.isJSON { try session.terminal.print(line: result.json.encoded) }
                let done = outcomes.reduce(0) { $0 &+ $1.asset.size }
                display.show { seconds in
                    ProgressBar("Looked at", Int(clamping: done), of: Int(clamping: total), seconds: seconds).text
                }
            }
            display.end()
            if !session.isJSON {
                try session.terminal.print(AssetText.evicted(outcomes, style: session.style))
            }
            if outcomes.contains(where: { $0.refusal != nil }) { throw ExitCode(1) }
        }
    }
}

/// The outcome of evicting one of many assets.
struct EvictionResult: Sendable {
    /// The asset.
    var asset: Asset
    /// The bytes that were dropped.
    var freed: UInt64
    /// The reason why its content stays; `nil` where it was dropped.
    var refusal: Problem?

    /// The outcome for programs.
    var json: JSONValue {
        [
            "asset": .string(asset.asset), "record": .string(asset.record), "field": .string(asset.field),
            "size": .integer(Int64(clamping: asset.size)), "freed": .integer(Int64(clamping: freed)),
            "code": refusal.map { .string($0.code) } ?? .null, "detail": refusal.map { .string($0.detail) } ?? .null,
        ]
    }
}

/// The evictions of many assets, some at a time.
struct EvictionWish: Sendable {
    /// Evictions under way at the same time: one waits for two commits and for another device.
    private static let countMax = 8

    let copies: Int
    let countsOthers: Bool
    let assets: AssetClient

    /// Evicts the content of assets.
    /// - Parameters:
    ///   - all: The assets.
    ///   - note: Called with each outcome, in the order in which they come.
    /// - Throws: `KairanError` of another kind than a refusal, `CancellationError`, the errors of `note`.
    func evict(_ all: [Asset], _ note: (EvictionResult) throws -> Void) async throws {
        try await withThrowingTaskGroup(of: EvictionResult.self) { group in
            var rest = all[...]
            for asset in rest.prefix(Self.countMax) { group.addTask { try await evict(asset) } }
            rest = rest.dropFirst(Self.countMax)
            while let result = try await group.next() {
                try note(result)
                if let asset = rest.popFirst() { group.addTask { try await evict(asset) } }
            }
        }
    }

    private func evict(_ asset: Asset) async throws -> EvictionResult {
        do {
            let outcome = try await assets.evict(asset.place, copies: copies, countsOthers: countsOthers)
            return EvictionResult(asset: asset, freed: outcome.freed)
        } catch let error as KairanError where error.kind == .refused {
            return EvictionResult(asset: asset, freed: 0, refusal: error.problem)
        }
    }
}

extension Irreversible {
    /// The eviction of many contents, which can be fetched again.
    static func eviction(of assets: [Asset], copies: Int) -> Irreversible {
        let byteCount = assets.reduce(0) { $0 &+ $1.size }
        let count = Words.count(assets.count, "asset", "assets")
        return Irreversible(
            effect: """
                Drops the content of \(count) (\(Words.size(Int(clamping: byteCount)))) on this machine, each once \
                \(Words.count(copies, "other machine has", "other machines have")) promised to keep it.
                """,
            name: "\(assets.count)",
            finality: "Content comes back when it is read or fetched, from a machine that has it"
        )
    }
}
