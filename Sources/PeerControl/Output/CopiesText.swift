import FoundationEssentials
import KairanClient

/// The copies of contents for people: as far as this device knows of them.
enum CopiesText {
    /// The number of machines with a copy, and of relays.
    static func cell(_ copies: AssetCopies?) -> Table.Cell {
        guard let copies else { return "" }
        let relays = copies.relays > 0 ? " + \(Words.count(copies.relays, "relay", "relays"))" : ""
        let text = "\(copies.machines)\(relays)"
        return copies.machines + copies.relays < 2 ? Table.Cell(text) { $0.warning($1) } : Table.Cell(text)
    }

    /// The other machines that have copies of some assets; `nil` where none is known.
    static func holders(_ assets: [Asset], style: Style) -> String? {
        var table = Table([.text("ASSET"), .text("MACHINE"), .text("SAID SO")])
        let ids = Words.shortened(assets.map(\.asset))
        var listed: Set<String> = []
        for asset in assets where listed.insert(asset.asset).inserted {
            for holder in asset.copies?.holders ?? [] {
                table.add([
                    Table.Cell(style.showsWholeIDs ? asset.asset : ids[asset.asset] ?? asset.asset),
                    Table.Cell(style.device(holder.device)), Table.Cell(style.time(holder.statedAt)),
                ])
            }
        }
        let hasRows = assets.contains { $0.copies?.holders.isEmpty == false }
        return hasRows ? table.text(style: style, empty: "") : nil
    }

    /// The machines that have said that they have a content, and were not asked now; `nil` where there is none.
    static func known(_ explanation: AssetExplanation, style: Style) -> String? {
        let asked = Set((explanation.holders ?? []).map(\.device))
        let holders = explanation.copies?.holders.filter { !asked.contains($0.device) } ?? []
        let lines = holders.map { holder in
            "\(style.device(holder.device)) was not asked now. It said that it has the content: \(style.time(holder.statedAt))."
        }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    /// The contents of a zone by the number of their copies, in a few sentences.
    /// - Parameter assets: All assets of the zone.
    /// - Returns: `nil` where there is none, or the daemon says nothing about copies.
    static func summary(_ assets: [Asset]) -> String? {
        let contents = Dictionary(assets.map { ($0.asset, $0) }) { first, _ in first }.values
        guard !contents.isEmpty, contents.allSatisfy({ $0.copies != nil }) else { return nil }
        var (aloneCount, elsewhereCount, unknownCount, others) = (0, 0, 0, [Int]())
        for content in contents {
            let copies = content.copies ?? AssetCopies(machines: 0)
            switch copies.machines + copies.relays {
            case 0: unknownCount += 1
            case 1 where content.state == .present: aloneCount += 1
            case 1: elsewhereCount += 1
            case let count: others.append(count)
            }
        }
        var sentences = [counted(contents.count, "content.", "contents.")]
        func add(_ count: Int, _ one: String, _ many: String) {
            guard count > 0 else { return }
            sentences.append(contents.count == 1 ? "It is \(one)." : counted(count, "is \(one).", "are \(many)."))
        }
        add(aloneCount, "on this machine alone", "on this machine alone")
        add(elsewhereCount, "on one other machine alone", "on one other machine alone")
        let unknown = "not here, and no machine is known to have"
        add(unknownCount, "\(unknown) it", "\(unknown) them")
        if let fewest = others.min() {
            let subject = others.count == contents.count ? "All" : others.count == 1 ? "The other one" : "All others"
            let verb = others.count == 1 && contents.count > 1 ? "survives" : "survive"
            let start = contents.count == 1 ? "It survives" : "\(subject) \(verb)"
            sentences.append("\(start) the loss of \(Words.count(fewest - 1, "machine", "machines")).")
        }
        return sentences.joined(separator: " ")
    }

    private static func counted(_ number: Int, _ one: String, _ many: String) -> String {
        "\(grouped(number)) \(number == 1 ? one : many)"
    }

    /// A number with its thousands set apart.
    private static func grouped(_ number: Int) -> String {
        var digits = String(number)
        for offset in stride(from: digits.count - 3, to: 0, by: -3) {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: offset))
        }
        return digits
    }
}
