import Wire

extension Predicate {
    /// The condition in the one form that means it.
    /// - Parameter forms: How dates and bytes are written.
    /// - Returns: A text that the parser reads as this condition, if the condition keeps to the parser's limits.
    package func text(_ forms: LiteralForms) -> String {
        switch self {
        case .compare(let field, let comparison, let value):
            "\(field.quoted) \(comparison.rawValue) \(value.literal(forms))"
        case .oneOf(let field, let values):
            "\(field.quoted) in (\(values.map { $0.literal(forms) }.joined(separator: ", ")))"
        case .beginsWith(let field, let prefix): "\(field.quoted) begins with \(prefix.string.quoted)"
        case .contains(let field, let value): "\(field.quoted) contains \(value.literal(forms))"
        case .between(let field, let low, let high):
            "\(field.quoted) between \(low.literal(forms)) and \(high.literal(forms))"
        case .near(let field, let latitude, let longitude, let metres):
            "near(\(field.quoted), \(latitude), \(longitude), \(metres))"
        case .matches(let field, let pattern): "\(field.quoted) matches \(pattern.text.string.quoted)"
        case .exists(let field): "\(field.quoted) exists"
        case .isNull(let field): "\(field.quoted) is null"
        case .not(let inner): "not \(inner.operand(forms, isLoose: inner.isGroup))"
        case .all(let inner):
            inner.map { $0.operand(forms, isLoose: $0.isGroup) }.joined(separator: " and ")
        case .any(let inner):
            inner.map { $0.operand(forms, isLoose: $0.isAny) }.joined(separator: " or ")
        }
    }

    private func operand(_ forms: LiteralForms, isLoose: Bool) -> String {
        isLoose ? "(\(text(forms)))" : text(forms)
    }

    private var isGroup: Bool {
        switch self {
        case .all, .any: true
        default: false
        }
    }

    private var isAny: Bool {
        if case .any = self { true } else { false }
    }
}

extension QueryField {
    /// The field as a predicate names it.
    var quoted: String {
        switch self {
        case .system: text
        case .field(let name):
            PredicateLexer.isBare(name.string) ? name.string : name.string.escaped(quote: "`")
        }
    }
}

extension FieldValue {
    /// The value as a predicate writes it; `null` for a value that no predicate can hold.
    func literal(_ forms: LiteralForms) -> String {
        switch self {
        case .string(let text): text.quoted
        case .int64(let number): String(number)
        case .double(let number): "\(number)"
        case .bool(let value): value ? "true" : "false"
        case .date(let milliseconds): "date(\(forms.writeTime(milliseconds).quoted))"
        case .bytes(let bytes): "bytes(\(forms.writeBytes(bytes).quoted))"
        case .reference(let zone, let record):
            "reference(\(record.quoted)\(zone.map { ", " + $0.text.quoted } ?? ""))"
        default: "null"
        }
    }
}

extension String {
    /// The string between quotation marks.
    fileprivate var quoted: String { escaped(quote: "\"") }

    fileprivate func escaped(quote: Unicode.Scalar) -> String {
        var text = String(Character(quote))
        for scalar in unicodeScalars {
            switch scalar {
            case quote, "\\": text += "\\\(scalar)"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        text.unicodeScalars.append(quote)
        return text
    }
}
