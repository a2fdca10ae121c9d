import Glibc
import Wire

extension Predicate {
    /// Whether the condition holds for a record.
    /// - Complexity: O(tests × size of the fields that they look at).
    package func matches(_ record: QueryRecord) -> Bool {
        switch self {
        case .compare(let field, let comparison, let value):
            return record[field]?.order(to: value).map(comparison.holds) ?? false
        case .oneOf(let field, let values):
            guard let found = record[field] else { return false }
            return values.contains { found.order(to: $0) == .same }
        case .beginsWith(let field, let prefix):
            guard case .string(let text) = record[field] else { return false }
            return text.utf8.starts(with: prefix.string.utf8)
        case .contains(let field, let value):
            return record[field]?.contains(value) ?? false
        case .between(let field, let low, let high):
            guard let found = record[field], let first = found.order(to: low), let second = found.order(to: high)
            else { return false }
            return first != .ascending && second != .descending
        case .near(let field, let latitude, let longitude, let metres):
            guard case .location(let ownLatitude, let ownLongitude) = record[field] else { return false }
            return GreatCircle.metres(latitude, longitude, ownLatitude, ownLongitude) <= metres
        case .matches(let field, let pattern):
            guard let texts = record[field]?.searchedTexts, !texts.isEmpty else { return false }
            return pattern.matches(texts.flatMap(TextWords.words))
        case .exists(let field): return record[field] != nil
        case .isNull(let field): return record[field] == nil
        case .not(let inner): return !inner.matches(record)
        case .all(let inner): return inner.allSatisfy { $0.matches(record) }
        case .any(let inner): return inner.contains { $0.matches(record) }
        }
    }
}

extension FieldValue {
    /// Whether a list or set has an element, or a string a part.
    fileprivate func contains(_ value: FieldValue) -> Bool {
        switch self {
        case .list(let elements): return elements.contains { $0.order(to: value) == .same }
        case .set(let set): return set.entries.contains { $0.element.order(to: value) == .same }
        case .string(let text):
            guard case .string(let part) = value else { return false }
            return text.hasPart(part)
        default: return false
        }
    }
}

extension String {
    /// Whether the bytes of another string are a part of these.
    ///
    /// Source: Knuth, Morris, Pratt, "Fast pattern matching in strings", 1977: no text makes it slow.
    /// - Complexity: O(length of both).
    fileprivate func hasPart(_ part: String) -> Bool {
        let wanted = Array(part.utf8)
        guard !wanted.isEmpty else { return true }
        var borders = [0]
        borders.reserveCapacity(wanted.count)
        var length = 0
        for index in wanted.indices.dropFirst() {
            while length > 0, wanted[index] != wanted[length] { length = borders[length - 1] }
            if wanted[index] == wanted[length] { length += 1 }
            borders.append(length)
        }
        length = 0
        for byte in utf8 {
            while length > 0, byte != wanted[length] { length = borders[length - 1] }
            if byte == wanted[length] { length += 1 }
            if length == wanted.count { return true }
        }
        return false
    }
}

/// Distances on a sphere of the earth's mean radius.
enum GreatCircle {
    /// The shortest way between two places in degrees, by the haversine formula; at most half a per cent wrong.
    static func metres(_ latitude: Double, _ longitude: Double, _ other: Double, _ otherLongitude: Double) -> Double {
        let radians = Double.pi / 180
        let height = sin((other - latitude) * radians / 2)
        let width = sin((otherLongitude - longitude) * radians / 2)
        let chord = height * height + cos(latitude * radians) * cos(other * radians) * width * width
        return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
    }
}
