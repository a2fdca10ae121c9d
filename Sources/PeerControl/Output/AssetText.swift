import FoundationEssentials
import KairanClient

/// Assets for people.
enum AssetText {
    /// A description: name or id, type and size.
    static func value(_ asset: AssetDescription, style: Style) -> String {
        let facts = [asset.mediaType.map { Table.visible($0) }, size(asset.size)].compactMap(\.self)
        return "\(title(asset.name, asset.asset, style: style)) (\(facts.joined(separator: ", ")))"
    }

    /// The name with the beginning of the id, or that alone.
    static func title(_ name: String?, _ asset: String, style: Style) -> String {
        let id = "asset \(style.id(asset))"
        return name.map { "\(Table.visible($0)), \(id)" } ?? id
    }

    /// Whether content is here, and to which part.
    static func standing(_ state: Asset.State, _ percent: Int) -> String {
        state == .partial ? "here to \(percent)%" : state.text
    }

    /// The state of an asset, as a sentence.
    static func sentence(_ asset: Asset, style: Style) -> String {
        "\(title(asset.name, asset.asset, style: style)) is \(standing(asset.state, asset.percent))."
    }

    /// An asset for programs whose content was uploaded here: as in a list, with the version of its record.
    static func added(_ asset: AssetDescription, in field: String, of record: Record) throws -> JSONValue {
        let listed = Asset(
            asset: asset.asset,
            zone: record.zone,
            record: record.name,
            field: field,
            size: asset.size,
            mediaType: asset.mediaType,
            name: asset.name,
            modifiedAt: asset.modifiedAt,
            state: .present,
            percent: 100
        )
        let members = try JSONValue(encoding: listed).members ?? []
        return .object(members + [JSONMember("version", .string(record.version))])
    }

    /// The assets of a zone, one a line.
    /// - Parameters:
    ///   - assets: The assets to list.
    ///   - count: The number of all assets of the zone.
    ///   - style: The appearance.
    /// - Returns: A table, or a sentence in place of an empty one.
    static func list(_ assets: [Asset], of count: Int, style: Style) -> String {
        var table = Table([
            .text("RECORD"), .text("FIELD"), .text("NAME"), .text("TYPE"), .number("SIZE"), .text("STATE"),
            .text("COPIES"), .text("ASSET"),
        ])
        let ids = Words.shortened(assets.map(\.asset))
        for asset in assets {
            table.add([
                Table.Cell(asset.record), Table.Cell(field(asset.place)), Table.Cell(asset.name ?? ""),
                Table.Cell(asset.mediaType ?? ""), Table.Cell(size(asset.size)), state(asset),
                CopiesText.cell(asset.copies), id(asset.asset, ids, style),
            ])
        }
        let none = count > 0 ? "no such assets" : "no assets; `kairan asset add` adds one"
        return table.text(style: style, empty: none)
    }

    /// An id, whole or as its beginning in a list.
    private static func id(_ id: String, _ shortened: [String: String], _ style: Style) -> Table.Cell {
        Table.Cell(style.showsWholeIDs ? id : shortened[id] ?? id)
    }

    /// A field, with the index of the item.
    private static func field(_ place: Asset.Place) -> String {
        place.field + (place.item.map { "[\($0)]" } ?? "")
    }

    private static func size(_ byteCount: UInt64) -> String { Words.size(Int(clamping: byteCount)) }

    private static func state(_ asset: Asset) -> Table.Cell {
        let word = asset.state == .partial ? "partial \(asset.percent)%" : asset.state.text
        let text = asset.linked == true ? word + " (linked)" : word
        switch asset.state {
        case .missing: return Table.Cell(text) { $0.bad($1) }
        case .queued, .partial, .unresolved: return Table.Cell(text) { $0.warning($1) }
        case .remote, .evicted: return Table.Cell(text) { $0.dim($1) }
        default: return Table.Cell(text)
        }
    }

    /// The policy of a zone.
    /// - Parameters:
    ///   - setting: The policy in force.
    ///   - zone: The zone, as typed.
    /// - Returns: A sentence.
    static func policy(_ setting: AssetPolicySetting, of zone: String) -> String {
        let choice =
            switch setting.policy {
            case .never: "no assets, not even on request"
            case .onDemand: "assets on request"
            case .upTo:
                "assets up to \(size(setting.upTo ?? 0)) by itself, and larger ones on request"
            case .always: "all assets by itself"
            default: "assets by the policy \(Table.visible(setting.policy.text))"
            }
        let relays = setting.isKeptAtRelays ? "" : " The relays of the account keep none of what is here."
        let source = setting.isDefault ? ", by default" : ""
        return "\(Table.visible(zone)): this device fetches \(choice)\(source).\(relays)"
    }

    /// The reasons for the state of an asset.
    static func explanation(_ explanation: AssetExplanation, style: Style) -> String {
        let state = standing(explanation.state, explanation.percent)
        var lines = ["asset \(style.id(explanation.asset)), \(size(explanation.size)), is \(state)."]
        lines += explanation.reasons.map { Table.visible($0) }
        if let until = explanation.keptUntil {
            let since = explanation.unnamedSince.map { "No record here has named it since \(style.time($0)). " } ?? ""
            lines.append("\(since)It is dropped \(style.time(until)) at the earliest.")
        }
        for relay in explanation.relays ?? [] {
            lines.append("The relay \(style.device(relay.device)) keeps it, until \(style.time(relay.until)) at least.")
        }
        if let until = explanation.promisedUntil {
            lines.append("This device has promised another one not to evict it; the promise ends \(style.time(until)).")
        }
        if !explanation.fix.isEmpty { lines.append(Table.visible(explanation.fix)) }
        if !explanation.places.isEmpty {
            var table = Table([.text("ZONE"), .text("RECORD"), .text("FIELD")])
            for place in explanation.places {
                table.add([
                    Table.Cell(style.zone(place.zone)), Table.Cell(place.record), Table.Cell(field(place)),
                ])
            }
            lines += ["", table.text(style: style, empty: "")]
        }
        if let holders = explanation.holders, !holders.isEmpty { lines += ["", self.holders(holders, style: style)] }
        if let known = CopiesText.known(explanation, style: style) { lines += ["", known] }
        return lines.joined(separator: "\n")
    }

    /// The devices that were asked about a content, with their answers.
    static func holders(_ holders: [AssetHolder], style: Style) -> String {
        var table = Table([.text("DEVICE"), .text("ACCOUNT"), .text("ANSWER")])
        for holder in holders {
            table.add([
                Table.Cell(style.device(holder.device)), Table.Cell(style.account(holder.account)),
                answer(holder, style: style),
            ])
        }
        return table.text(style: style, empty: "no device was asked")
    }

    private static func answer(_ holder: AssetHolder, style: Style) -> Table.Cell {
        switch holder.answer {
        case .promised: Table.Cell("promised" + (holder.until.map { ", ends \(style.time($0))" } ?? ""))
        case .held: "has it"
        case .absent: Table.Cell("does not have it") { $0.dim($1) }
        case .evicting: Table.Cell("is about to drop it") { $0.warning($1) }
        case .refused: Table.Cell("cannot say now") { $0.warning($1) }
        case .silent: Table.Cell("has not answered") { $0.warning($1) }
        case .unaware: Table.Cell("runs a program that is too old") { $0.warning($1) }
        default: Table.Cell(holder.answer.text)
        }
    }

    /// The outcome of an eviction.
    static func evicted(_ eviction: AssetEviction, style: Style) -> String {
        let asset = "asset \(style.id(eviction.asset))"
        guard eviction.freed > 0 || eviction.state == .evicted && !eviction.holders.isEmpty else {
            return "The content of \(asset) was not here: it is \(standing(eviction.state, 0))."
        }
        let sentence = "Dropped the content of \(asset), \(size(eviction.freed)). Kept by:"
        let kept = eviction.holders.filter { $0.answer == .promised }
        return sentence + "\n" + holders(kept, style: style)
    }

    /// The outcome of evicting many assets: those whose content stays, and the sum of the others.
    static func evicted(_ results: [EvictionResult], style: Style) -> String {
        let kept = results.filter { $0.refusal != nil }
        let freed = results.reduce(0) { $0 &+ $1.freed }
        let count = Words.count(results.count - kept.count, "asset", "assets")
        let sum = "Dropped the content of \(count), \(size(freed))."
        guard !kept.isEmpty else { return sum }
        var table = Table([.text("RECORD"), .text("FIELD"), .number("SIZE"), .text("REASON")])
        for result in kept.sorted(by: { ($0.asset.record, $0.asset.field) < ($1.asset.record, $1.asset.field) }) {
            table.add([
                Table.Cell(result.asset.record), Table.Cell(field(result.asset.place)),
                Table.Cell(size(result.asset.size)), Table.Cell(reason(result.refusal, style: style)),
            ])
        }
        return table.text(style: style, empty: "") + "\n" + sum
    }

    /// The reason why content stays, in a few words.
    private static func reason(_ refusal: Problem?, style: Style) -> String {
        switch refusal?.code {
        case "asset.not_safe": "too few other devices keep it"
        case "asset.promised":
            "promised" + (refusal?.promisedUntil.map { ", ends \(style.time($0))" } ?? "")
        case "asset.busy": "in use"
        case "asset.linked": "linked"
        default: refusal?.detail ?? ""
        }
    }

    /// The assets that no record names.
    static func collection(_ collection: AssetCollection, style: Style) -> String {
        var table = Table([.text("ASSET"), .number("SIZE"), .text("UNNAMED SINCE"), .text("KEPT UNTIL")])
        let ids = Words.shortened(collection.assets.map(\.asset))
        for asset in collection.assets {
            table.add([
                id(asset.asset, ids, style),
                Table.Cell(size(asset.size)), Table.Cell(style.time(asset.since)), Table.Cell(style.time(asset.until)),
            ])
        }
        let text = table.text(style: style, empty: "a record names each asset that is here")
        return collection.assets.isEmpty ? text : text + "\n" + style.dim("\(size(collection.bytes)) in all")
    }

    /// The outcome of dropping those whose time is over.
    static func dropped(_ collection: AssetCollection) -> String {
        let count = Words.count(collection.dropped, "asset", "assets")
        let left = collection.assets.count - collection.dropped
        let rest = left > 0 ? " \(Words.count(left, "other is", "others are")) kept for now: see --dry-run." : ""
        return "Dropped \(count).\(rest)"
    }
}

extension AssetCollection {
    /// The assets that are dropped now, because their time is over.
    func due(at now: Date) -> [Unnamed] { assets.filter { $0.until <= now } }
}

extension Irreversible {
    /// The dropping of assets that no record names.
    static func collection(of due: [AssetCollection.Unnamed]) -> Irreversible {
        let byteCount = due.reduce(0) { $0 &+ $1.size }
        return Irreversible(
            effect: """
                Drops \(Words.count(due.count, "asset", "assets")) (\(Words.size(Int(clamping: byteCount)))) that no record has \
                named for seven days, on this machine alone. Content that no other machine has is gone then.
                """,
            name: "\(due.count)"
        )
    }
}
