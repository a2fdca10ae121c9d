extension QRCode {
    /// The colours of the terminal that a code is drawn on.
    package enum TerminalBackground: Sendable {
        /// Light text on a dark ground: the *light* modules are drawn.
        case dark
        /// Dark text on a light ground: the *dark* modules are drawn.
        case light
    }

    /// Light modules around a code that a reader needs to find it (ISO/IEC 18004:2015 §6.3.8).
    package static let quietZone = 4

    /// The code as lines of half-block characters: one character is two modules, one above the other, and so about
    /// square in most fonts.
    ///
    /// Only a full block, two half blocks and the space are used and no colour codes, so that the lines survive a pipe,
    /// a log and a screen reader's filter. A reader needs dark modules on a light ground; which characters are *ink*
    /// therefore depends on the terminal.
    /// - Parameters:
    ///   - background: The terminal's ground.
    ///   - quietZone: Light modules on each side, normally four.
    /// - Returns: The lines, all of the same length, without line ends.
    package func terminalLines(on background: TerminalBackground, quietZone: Int = QRCode.quietZone) -> [String] {
        let margin = max(0, quietZone)
        return stride(from: -margin, to: size + margin, by: 2).map { row in
            var line = ""
            for column in -margin..<size + margin {
                let upper = hasInk(row, column, on: background, lastRow: size + margin - 1)
                let lower = hasInk(row + 1, column, on: background, lastRow: size + margin - 1)
                switch (upper, lower) {
                case (true, true): line.append("█")
                case (true, false): line.append("▀")
                case (false, true): line.append("▄")
                case (false, false): line.append(" ")
                }
            }
            return line
        }
    }

    /// The lines of ``terminalLines(on:quietZone:)`` as one text.
    /// - Parameter background: The terminal's ground; dark is the more common one.
    /// - Returns: The lines, each with a line end.
    package func terminalText(on background: TerminalBackground = .dark) -> String {
        terminalLines(on: background).map { $0 + "\n" }.joined()
    }

    /// Codes have an odd number of rows: the half line below the last one belongs to the terminal, not to the code.
    private func hasInk(_ row: Int, _ column: Int, on background: TerminalBackground, lastRow: Int) -> Bool {
        guard row <= lastRow else { return false }
        return switch background {
        case .dark: !self[row, column]
        case .light: self[row, column]
        }
    }
}
