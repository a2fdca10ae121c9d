import Wire

/// Reads predicates; `docs/api/queries.md` has the grammar.
package struct PredicateParser {
    private var lexer: PredicateLexer
    private let forms: LiteralForms
    private var token = PredicateToken(kind: .end, offset: 0, end: 0)
    private var depth = 0
    private var termCount = 0

    /// Reads a predicate.
    /// - Parameters:
    ///   - text: The whole text.
    ///   - forms: The forms of dates and bytes.
    /// - Returns: The condition that it means.
    /// - Throws: The first place where the text is no predicate.
    /// - Complexity: O(length).
    package static func parse(_ text: String, forms: LiteralForms) throws(PredicateError) -> Predicate {
        var parser = PredicateParser(lexer: try PredicateLexer(text), forms: forms)
        try parser.advance()
        let predicate = try parser.disjunction()
        guard parser.token.kind == .end else { throw parser.unexpected("`and`, `or` or the end") }
        return predicate
    }

    private init(lexer: PredicateLexer, forms: LiteralForms) {
        self.lexer = lexer
        self.forms = forms
    }

    // MARK: Conditions

    private mutating func disjunction() throws(PredicateError) -> Predicate {
        var parts = [try conjunction()]
        while try skip("or") { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func conjunction() throws(PredicateError) -> Predicate {
        var parts = [try negation()]
        while try skip("and") { parts.append(try negation()) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func negation() throws(PredicateError) -> Predicate {
        let isNegated = isWord("not")
        guard isNegated || token.kind == .open else { return try test() }
        guard depth < QueryLimits.depthMax else {
            throw unexpected("at most \(QueryLimits.depthMax) parentheses and `not` inside each other")
        }
        depth += 1
        defer { depth -= 1 }
        try advance()
        if isNegated { return .not(try negation()) }
        let inner = try disjunction()
        try close()
        return inner
    }

    private mutating func test() throws(PredicateError) -> Predicate {
        termCount += 1
        guard termCount <= QueryLimits.termCountMax else {
            throw unexpected("at most \(QueryLimits.termCountMax) tests")
        }
        if try skip("near") { return try near() }
        let field = try field()
        if case .comparison(let comparison) = token.kind {
            try advance()
            return .compare(field, comparison, try literal())
        }
        if try skip("in") { return .oneOf(field, try list()) }
        if try skip("contains") { return .contains(field, try literal()) }
        if try skip("exists") { return .exists(field) }
        if try skip("is") {
            let isNegated = try skip("not")
            try require("null")
            return isNegated ? .exists(field) : .isNull(field)
        }
        if try skip("begins") {
            try require("with")
            return .beginsWith(field, BytewiseString(try string("a string")))
        }
        if try skip("between") { return try between(field) }
        if try skip("matches") { return try matches(field) }
        throw unexpected("an operator: = != < <= > >= in, begins with, contains, between, matches, exists, is null")
    }

    private mutating func between(_ field: QueryField) throws(PredicateError) -> Predicate {
        let low = try literal()
        try require("and")
        let start = token
        let high = try literal()
        guard low.order(to: high) != nil else {
            throw unexpected("a value of the same kind as the first", at: start)
        }
        return .between(field, low, high)
    }

    private mutating func matches(_ field: QueryField) throws(PredicateError) -> Predicate {
        let start = token
        guard let pattern = TextPattern(try string("the words to look for, in a string")) else {
            throw unexpected("a string with 1 to \(QueryLimits.wordCountMax) words", at: start)
        }
        return .matches(field, pattern)
    }

    private mutating func near() throws(PredicateError) -> Predicate {
        try open()
        let field = try field()
        try comma()
        let latitude = try number("a latitude, -90 to 90", in: -90...90)
        try comma()
        let longitude = try number("a longitude, -180 to 180", in: -180...180)
        try comma()
        let metres = try number("a distance in metres", in: 0...Double.greatestFiniteMagnitude)
        try close()
        return .near(field, latitude: latitude, longitude: longitude, metres: metres)
    }

    // MARK: Fields and values

    private mutating func field() throws(PredicateError) -> QueryField {
        let start = token
        switch token.kind {
        case .systemField(let name):
            guard let system = SystemField(rawValue: name) else {
                let names = SystemField.allCases.map { "@\($0.rawValue)" }.joined(separator: ", ")
                throw unexpected("one of \(names)")
            }
            try advance()
            return .system(system)
        case .word(let name) where PredicateLexer.reserved.contains(name.lowercased()):
            throw unexpected("a field (one of this name is put between backquotes)")
        case .word(let name), .quotedField(let name):
            guard (1...Limits.nameByteCountMax).contains(name.utf8.count) else {
                throw unexpected("a field's name of 1 to \(Limits.nameByteCountMax) bytes", at: start)
            }
            try advance()
            return .named(name)
        default: throw unexpected("a field, `not` or a parenthesis")
        }
    }

    private mutating func list() throws(PredicateError) -> [FieldValue] {
        try open()
        var values = [try literal()]
        while token.kind == .comma {
            try advance()
            guard values.count < QueryLimits.listCountMax else {
                throw unexpected("at most \(QueryLimits.listCountMax) values")
            }
            values.append(try literal())
        }
        try close()
        return values
    }

    private mutating func literal() throws(PredicateError) -> FieldValue {
        let value: FieldValue
        switch token.kind {
        case .string(let text): value = .string(text)
        case .integer(let number): value = .int64(number)
        case .double(let number): value = .double(number)
        case .word(let word):
            switch word.lowercased() {
            case "true": value = .bool(true)
            case "false": value = .bool(false)
            case "date", "bytes", "reference": return try made(word.lowercased())
            default: throw unexpected("a value")
            }
        default: throw unexpected("a value")
        }
        try advance()
        return value
    }

    /// `date("…")`, `bytes("…")` or `reference("…", "…")`.
    private mutating func made(_ kind: String) throws(PredicateError) -> FieldValue {
        try advance()
        try open()
        let start = token
        let text = try string("a string")
        let value: FieldValue
        switch kind {
        case "date":
            guard let date = forms.readTime(text) else {
                throw unexpected("a time like 2026-07-21T09:30:00Z", at: start)
            }
            value = .date(milliseconds: date)
        case "bytes":
            guard let bytes = forms.readBytes(text) else { throw unexpected("base64", at: start) }
            value = .bytes(bytes)
        default:
            guard (1...Limits.nameByteCountMax).contains(text.utf8.count) else {
                throw unexpected("a record's name of 1 to \(Limits.nameByteCountMax) bytes", at: start)
            }
            value = .reference(zone: try zone(), record: text)
        }
        try close()
        return value
    }

    private mutating func zone() throws(PredicateError) -> ZoneID? {
        guard token.kind == .comma else { return nil }
        try advance()
        let start = token
        guard let zone = ZoneID(text: try string("a zone's id")) else { throw unexpected("a zone's id", at: start) }
        return zone
    }

    private mutating func number(
        _ what: String,
        in range: ClosedRange<Double>
    ) throws(PredicateError) -> Double {
        let number: Double
        switch token.kind {
        case .integer(let whole): number = Double(whole)
        case .double(let decimal): number = decimal
        default: throw unexpected(what)
        }
        guard range.contains(number) else { throw unexpected(what) }
        try advance()
        return number
    }

    private mutating func string(_ what: String) throws(PredicateError) -> String {
        guard case .string(let text) = token.kind else { throw unexpected(what) }
        try advance()
        return text
    }

    // MARK: Words

    private mutating func advance() throws(PredicateError) { token = try lexer.next() }

    private func isWord(_ word: String) -> Bool {
        if case .word(let found) = token.kind { return found.lowercased() == word }
        return false
    }

    private mutating func skip(_ word: String) throws(PredicateError) -> Bool {
        guard isWord(word) else { return false }
        try advance()
        return true
    }

    private mutating func require(_ word: String) throws(PredicateError) {
        guard try skip(word) else { throw unexpected("`\(word)`") }
    }

    private mutating func open() throws(PredicateError) { try punctuation(.open, "(") }

    private mutating func close() throws(PredicateError) { try punctuation(.close, ")") }

    private mutating func comma() throws(PredicateError) { try punctuation(.comma, ",") }

    private mutating func punctuation(_ kind: PredicateToken.Kind, _ text: String) throws(PredicateError) {
        guard token.kind == kind else { throw unexpected("`\(text)`") }
        try advance()
    }

    private func unexpected(_ expected: String, at place: PredicateToken? = nil) -> PredicateError {
        let place = place ?? token
        return lexer.error(at: place.offset, found: lexer.excerpt(place), expected: expected)
    }
}
