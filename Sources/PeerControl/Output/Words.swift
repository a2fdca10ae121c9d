import FoundationEssentials
import KairanClient

/// Values as people read them.
enum Words {
    /// A point in time to the second, in UTC.
    static func time(_ date: Date) -> String {
        let exact = (date.timeIntervalSince1970 * 1000).rounded(.down)
        // Another device may state any time, as the end of its promise; the last one of all is rounded to one that no integer has.
        let milliseconds = Int64(exactly: exact) ?? (exact > 0 ? .max : .min)
        return RFC3339.text(milliseconds: milliseconds).prefix(19).replacing("T", with: " ") + "Z"
    }

    /// Returns a time in words, relative to another one; only the day if it is a month away or more.
    static func time(_ date: Date, from now: Date) -> String {
        let seconds = Int64(min(abs(now.timeIntervalSince(date)), 1e12))
        let span: String
        switch seconds {
        case ..<1: return "now"
        case ..<60: span = "\(seconds) s"
        case ..<3_600: span = "\(seconds / 60) min"
        case ..<86_400: span = "\(seconds / 3_600) h"
        case ..<2_592_000: span = count(seconds / 86_400, "day", "days")
        default: return String(time(date).prefix(10))
        }
        return date < now ? "\(span) ago" : "in \(span)"
    }

    /// A duration that is exact enough.
    static func duration(milliseconds: Double) -> String {
        switch milliseconds.magnitude {
        case ..<10: "\(tenths(milliseconds)) ms"
        case ..<1000: "\(Int(milliseconds.rounded())) ms"
        default: "\(tenths(milliseconds / 1000)) s"
        }
    }

    /// One digit behind the point.
    static func tenths(_ number: Double) -> String {
        let tenths = (number.magnitude * 10).rounded()
        guard tenths < 1e15 else { return number.description }
        let (whole, rest) = Int64(tenths).quotientAndRemainder(dividingBy: 10)
        return "\(number < 0 && tenths > 0 ? "-" : "")\(whole).\(rest)"
    }

    /// A field's value on one line: text as it is, an asset without its small picture, everything else as JSON.
    static func value(_ value: RecordValue) -> String {
        switch value {
        case .string(let text): Table.visible(text)
        case .asset(let asset): AssetText.value(asset, style: .plain)
        default: Table.visible(value.withoutThumbnails.json.encodedText)
        }
    }

    /// A number of bytes, exact below one KiB.
    static func size(_ byteCount: Int) -> String {
        var size = Double(byteCount)
        guard size >= 1024 else { return "\(byteCount) B" }
        var unit = ""
        // In the displayed form, 1024.0 is one of the next unit.
        for name in ["KiB", "MiB", "GiB"] where unit.isEmpty || (size * 10).rounded() >= 10_240 {
            size /= 1024
            unit = name
        }
        return "\(tenths(size)) \(unit)"
    }

    /// The beginning of an id, enough to recognise it.
    static func short(_ id: String) -> String { String(id.prefix(8)) }

    /// Returns a beginning of an id that distinguishes it from all others.
    /// - Parameters:
    ///   - id: The id.
    ///   - all: All ids of the list, this one among them.
    /// - Returns: Eight characters, or as many more as it takes.
    /// - Complexity: O(ids × length of an id).
    static func short(_ id: String, of all: [String]) -> String {
        let shared = all.lazy.filter { $0 != id }.map { zip($0, id).prefix { $0 == $1 }.count }.max() ?? 0
        return String(id.prefix(max(8, shared + 1)))
    }

    /// Returns beginnings of ids that distinguish each from all others.
    /// - Parameter ids: The ids of a list, each any number of times.
    /// - Returns: For each id eight characters of it, or as many more as it takes.
    /// - Complexity: O(n log n) comparisons of ids.
    static func shortened(_ ids: [String]) -> [String: String] {
        // In their order, the id that shares the longest beginning with another one stands beside it.
        let sorted = Set(ids).sorted()
        var shared = [Int](repeating: 0, count: sorted.count)
        for index in sorted.indices.dropFirst() {
            let count = zip(sorted[index - 1], sorted[index]).prefix { $0 == $1 }.count
            shared[index - 1] = max(shared[index - 1], count)
            shared[index] = count
        }
        var shortened: [String: String] = [:]
        for (id, count) in zip(sorted, shared) { shortened[id] = String(id.prefix(max(8, count + 1))) }
        return shortened
    }

    /// A number with its noun.
    static func count(_ number: some BinaryInteger, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }
}

extension RecordValue {
    /// The value without the small pictures of its assets, which are no text for people.
    fileprivate var withoutThumbnails: RecordValue {
        switch self {
        case .asset(var asset):
            asset.thumbnail = nil
            return .asset(asset)
        case .list(let elements): return .list(elements.map(\.withoutThumbnails))
        case .set(let elements): return .set(elements.map(\.withoutThumbnails))
        default: return self
        }
    }
}
