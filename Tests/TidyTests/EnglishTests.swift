import Foundation
import Testing

/// Counts the words of one text that stand in place of a noun, and finds phrases that are not used.
private struct EnglishCount {
    var words = 0
    var what = 0
    var who = 0
    var body = 0
    /// The lines in which a phrase that is not used ends.
    var phraseLines: [Int] = []

    /// The last word, in lower case; empty behind everything but a space.
    private var previous = ""
    private var lastNumber = 0

    private static let phrases: Set<String> = [
        "set back", "counts nowhere", "is told", "are told", "let go", "taken back",
    ]
    private static let questionWords: Set<String> = ["What", "Who", "Whoever", "Whose", "Whom"]

    /// Adds the next line; a phrase may begin in a line and end in the following one.
    mutating func add(_ line: ProseTree.Line) {
        if line.number != lastNumber + 1 || line.text.isEmpty { previous = "" }
        lastNumber = line.number
        var word: [UInt8] = []
        for byte in line.text.utf8 {
            let lower = byte | 0x20
            if lower >= 0x61 && lower <= 0x7A {
                word.append(lower)
            } else if !word.isEmpty && (byte == 0x27 || byte == 0x2D) {
                word.append(byte)
            } else {
                end(&word, in: line.number)
                if byte != 0x20 { previous = "" }
            }
        }
        end(&word, in: line.number)
    }

    /// Ends a word, which an apostrophe or a hyphen may continue: these are no part of the word that is looked up.
    private mutating func end(_ word: inout [UInt8], in number: Int) {
        guard !word.isEmpty else { return }
        let text = String(decoding: word.prefix { $0 != 0x27 && $0 != 0x2D }, as: UTF8.self)
        word.removeAll(keepingCapacity: true)
        words += 1
        switch text {
        case "what", "whatever": what += 1
        case "who", "whoever", "whom": who += 1
        case "somebody", "anybody", "nobody", "everybody": body += 1
        default: break
        }
        if !previous.isEmpty, Self.phrases.contains("\(previous) \(text)") { phraseLines.append(number) }
        previous = text
    }

    /// Whether a sentence, a heading or a cell of a table in a line begins with a question word.
    static func asks(_ text: String) -> Bool {
        guard text.contains("What") || text.contains("Who") else { return false }
        for cell in text.split(separator: "|") {
            var isStart = true
            for word in cell.split(separator: " ") {
                let letters = word.drop { !$0.isLetter && $0 != "`" }.prefix { $0.isLetter }
                if isStart, questionWords.contains(String(letters)) { return true }
                // The marks of lists and headings.
                let isMark = !word.contains { $0.isLetter || $0 == "`" }
                let last = word.last { !")*_\"'”".contains($0) }
                let isEnd = last.map { ".!?:".contains($0) } ?? false
                isStart = isEnd || (isMark && isStart)
            }
        }
        return false
    }
}

@Suite struct `The language of comments and documents` {
    private struct Counted {
        var path: String
        var count: EnglishCount
    }

    private static let tree: Result<[ProseTree.File], any Error> = Result {
        // The glossary may name words that are not used.
        try ProseTree().files.filter { $0.path != "GLOSSARY.md" }
    }

    private static let counts: Result<[Counted], any Error> = Result {
        try Self.tree.get().map { Counted(path: $0.path, count: Self.read($0.lines)) }
    }

    private static func read(_ lines: [ProseTree.Line]) -> EnglishCount {
        var count = EnglishCount()
        for line in lines { count.add(line) }
        return count
    }

    /// The files with the most words beyond a limit for 1,000 words; none if all files together keep it.
    private static func excess(
        _ counts: [Counted],
        over limit: Double,
        _ value: (EnglishCount) -> Int
    ) -> [String] {
        var (words, found) = (0, 0)
        var files: [(path: String, excess: Double)] = []
        for counted in counts {
            words += counted.count.words
            found += value(counted.count)
            let allowed = limit * Double(counted.count.words) / 1_000
            files.append((counted.path, Double(value(counted.count)) - allowed))
        }
        guard Double(found) * 1_000 > limit * Double(words) else { return [] }
        let worst = files.filter { $0.excess > 0 }.sorted { $0.excess > $1.excess }.prefix(10)
        return worst.map { "\($0.path): \(Int($0.excess.rounded(.up)))" }
    }

    @Test func `names its subjects, with few words in place of a noun`() throws {
        let counts = try Self.counts.get()
        let programs = counts.filter { $0.path.hasSuffix(".swift") }.count
        let words = counts.reduce(0) { $0 + $1.count.words }
        #expect(programs > 1_000)
        #expect(counts.count > programs + 100)
        #expect(words > 300_000)
        let what = Self.excess(counts, over: 2) { $0.what }
        let who = Self.excess(counts, over: 0.3) { $0.who }
        let body = Self.excess(counts, over: 0.2) { $0.body }
        #expect(what.isEmpty, "\(what.joined(separator: "\n"))")
        #expect(who.isEmpty, "\(who.joined(separator: "\n"))")
        #expect(body.isEmpty, "\(body.joined(separator: "\n"))")
    }

    @Test func `begins no sentence with a question word in place of a noun`() throws {
        let places = try Self.tree.get().flatMap { file in
            file.lines.filter { EnglishCount.asks($0.text) }.map { "\(file.path):\($0.number):\($0.text)" }
        }
        #expect(places.isEmpty, "\(places.joined(separator: "\n"))")
    }

    @Test func `uses the field's verbs and not the phrases that stood for them`() throws {
        let places = try Self.counts.get().flatMap { counted in
            counted.count.phraseLines.map { "\(counted.path):\($0)" }
        }
        #expect(places.isEmpty, "\(places.joined(separator: "\n"))")
    }

    @Test func `is read without the code`() {
        let comments = ProseTree.comments(
            in: "let a = 1  // One.\n\n    /// Two.\nlet b = \"// c // d\"\nlet e = f // g"
        )
        #expect(
            comments == [
                ProseTree.Line(number: 1, text: "One."), ProseTree.Line(number: 3, text: " Two."),
                ProseTree.Line(number: 5, text: "g"),
            ]
        )
        let prose = ProseTree.prose(in: "One `two` three.\n```sh\nfour\n```\n| five |")
        #expect(
            prose == [
                ProseTree.Line(number: 1, text: "One  `  three."), ProseTree.Line(number: 5, text: "| five |"),
            ]
        )
    }

    @Test func `is judged by checks that find a planted text`() {
        let bad = "/// Whatever nobody's peer is\n/// told, who-ever it is set  back.\nfoo()\n// told: who, whom; what?"
        let count = Self.read(ProseTree.comments(in: bad))
        #expect(count.words == 14)
        #expect(count.what == 2)
        #expect(count.who == 3)
        #expect(count.body == 1)
        #expect(count.phraseLines == [2, 2])
        let good = Self.read(ProseTree.prose(in: "It is `x` told; is, told. It is\n\ntold. Let `it` go."))
        #expect(good.phraseLines.isEmpty)

        let counted = [Counted(path: "a", count: count), Counted(path: "b", count: good)]
        let worst = Self.excess(counted, over: 2) { $0.what }
        #expect(worst == ["a: 2"])
        #expect(Self.excess(counted, over: 200) { $0.what }.isEmpty)

        for text in [
            " What was sealed.", "- Returns: Who may read.", "It ends. Whoever asks", "| a | What b |",
            "## 2 What counts",
            "- *What it is.* A", "1. Whose key it is", "It is “so”. What",
        ] {
            #expect(EnglishCount.asks(text), "\(text)")
        }
        for text in [
            "It says What", "Whether it is", "the column *Who*", "`x` What", "Whatsoever", "somewhat. Whole",
            "so, What",
        ] {
            #expect(!EnglishCount.asks(text), "\(text)")
        }
    }
}
