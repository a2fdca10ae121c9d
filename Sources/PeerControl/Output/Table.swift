/// Rows under headings, in columns that are as wide as they must be.
struct Table: Sendable {
    /// The alignment of a column.
    enum Alignment: Sendable {
        /// Text.
        case left
        /// Numbers.
        case right
    }

    /// One column.
    struct Column: Sendable {
        var title: String
        var alignment: Alignment

        /// A column of text.
        static func text(_ title: String) -> Column { Column(title: title, alignment: .left) }
        /// A column of numbers.
        static func number(_ title: String) -> Column { Column(title: title, alignment: .right) }
    }

    /// One cell: its text and its style.
    struct Cell: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
        var text: String
        var look: @Sendable (Style, String) -> String = { $1 }

        init(_ text: String, look: @escaping @Sendable (Style, String) -> String = { $1 }) {
            self.text = text
            self.look = look
        }

        init(stringLiteral value: String) { text = value }
    }

    private let columns: [Column]
    private var rows: [[Cell]] = []

    /// Makes a table without rows.
    init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row with a cell for each column.
    mutating func add(_ cells: [Cell]) {
        rows.append(cells.map { Cell(Self.visible($0.text), look: $0.look) })
    }

    /// The table as lines, without spaces at their ends; `empty` when there are no rows.
    /// - Complexity: O(rows × columns).
    func text(style: Style, empty: String) -> String {
        guard !rows.isEmpty else { return style.dim(empty) }
        let widths = columns.indices.map { index in
            max(columns[index].title.count, rows.map { DisplayWidth.of($0[index].text) }.max() ?? 0)
        }
        let head = line(columns.map { Cell($0.title) { $0.bold($1) } }, widths: widths, style: style)
        return ([head] + rows.map { line($0, widths: widths, style: style) }).joined(separator: "\n")
    }

    private func line(_ cells: [Cell], widths: [Int], style: Style) -> String {
        var line = ""
        // Filling is added before a cell, never behind the last one.
        var pending = 0
        for (index, cell) in cells.enumerated() {
            let filling = widths[index] - DisplayWidth.of(cell.text)
            let isRight = columns[index].alignment == .right
            pending += isRight ? filling : 0
            if !cell.text.isEmpty {
                line += String(repeating: " ", count: pending) + cell.look(style, cell.text)
                pending = 0
            }
            pending += (isRight ? 0 : filling) + 2
        }
        return line
    }

    /// Returns a text on one line: characters that would move the cursor, and invisible ones, are shown and not
    /// executed.
    static func visible(_ text: String) -> String { VisibleText.of(text) }
}
