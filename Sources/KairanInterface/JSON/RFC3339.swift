package import FoundationEssentials

/// Points in time as text: `2026-07-21T09:30:00.125Z` (RFC 3339, always UTC and milliseconds when written).
///
/// Years outside 0...9999 have no form there; they are written with a sign and at least six digits (ISO 8601's
/// expanded years, as ECMAScript prints them), so that every 64-bit number of milliseconds survives the way out
/// and back. Days are counted with the proleptic Gregorian calendar after Howard Hinnant, "chrono-Compatible
/// Low-Level Date Algorithms" (`days_from_civil`, `civil_from_days`).
package enum RFC3339 {
    private static let millisecondsPerDay: Int64 = 86_400_000

    /// The text of a time.
    /// - Parameter milliseconds: Since 1970-01-01T00:00:00Z; any value.
    /// - Returns: In UTC, to the millisecond.
    package static func text(milliseconds: Int64) -> String {
        let time = milliseconds.quotientAndFloorModulo(dividingBy: millisecondsPerDay)
        let (year, month, day) = civil(days: time.quotient)
        let rest = time.remainder
        let date = "\(yearText(year))-\(padded(month, 2))-\(padded(day, 2))"
        let clock = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60].map { padded($0, 2) }
        return "\(date)T\(clock.joined(separator: ":")).\(padded(rest % 1000, 3))Z"
    }

    /// The time of a text.
    /// - Parameter text: RFC 3339 with `Z` or an offset; a fraction finer than milliseconds only if it is zeros,
    ///   because cutting it would lose something.
    /// - Returns: Milliseconds since 1970, or `nil` when the text is not such a time.
    package static func milliseconds(_ text: String) -> Int64? {
        var cursor = Cursor(rest: Substring(text).utf8)
        guard let year = cursor.year(), cursor.skip("-"), let month = cursor.digits(2), cursor.skip("-"),
            let day = cursor.digits(2), cursor.skip("T") || cursor.skip("t"), let hour = cursor.digits(2),
            cursor.skip(":"), let minute = cursor.digits(2), cursor.skip(":"), let second = cursor.digits(2),
            let fraction = cursor.fraction(), let offset = cursor.offsetMinutes(), cursor.rest.isEmpty,
            (1...12).contains(month), day >= 1, day <= daysIn(month: month, year: year),
            hour < 24, minute < 60, second < 60
        else { return nil }
        let inDay = ((hour * 60 + minute - offset) * 60 + second) * 1000 + fraction
        let (sum, overflow) = days(year: year, month: month, day: day)
            .multipliedReportingOverflow(by: millisecondsPerDay)
        // The earliest days of all reach below the 64-bit range before the time of day is added: add it in two steps.
        guard !overflow else { return lowest(year: year, month: month, day: day, inDay: inDay) }
        let (result, overflowed) = sum.addingReportingOverflow(inDay)
        return overflowed ? nil : result
    }

    private static func lowest(year: Int64, month: Int64, day: Int64, inDay: Int64) -> Int64? {
        let before = days(year: year, month: month, day: day) + 1
        let (sum, overflow) = before.multipliedReportingOverflow(by: millisecondsPerDay)
        guard !overflow else { return nil }
        let (result, overflowed) = sum.addingReportingOverflow(inDay - millisecondsPerDay)
        return overflowed ? nil : result
    }

    private static func yearText(_ year: Int64) -> String {
        (0...9999).contains(year) ? padded(year, 4) : (year < 0 ? "-" : "+") + padded(abs(year), 6)
    }

    private static func padded(_ value: Int64, _ count: Int) -> String {
        let digits = value.description
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let (era, dayOfEra) = shifted.quotientAndFloorModulo(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shiftedYear.quotientAndFloorModulo(dividingBy: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func daysIn(month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private struct Cursor {
        var rest: Substring.UTF8View

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard let first = rest.first, first == UInt8(ascii: character) else { return false }
            rest = rest.dropFirst()
            return true
        }

        /// Exactly this many digits, or as many as there are up to `maximum`.
        mutating func digits(_ count: Int, upTo maximum: Int? = nil) -> Int64? {
            let digits = rest.prefix(maximum ?? count).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard digits.count >= count else { return nil }
            rest = rest.dropFirst(digits.count)
            return Int64(String(Substring(digits)))
        }

        mutating func year() -> Int64? {
            if skip("+") { return digits(6, upTo: 9) }
            // The expanded form has no year -0: it would be a second spelling of 0000.
            if skip("-") { return digits(6, upTo: 9).flatMap { $0 == 0 ? nil : -$0 } }
            return digits(4)
        }

        mutating func fraction() -> Int64? {
            guard skip(".") else { return 0 }
            let places = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard !places.isEmpty, places.dropFirst(3).allSatisfy({ $0 == UInt8(ascii: "0") }) else { return nil }
            rest = rest.dropFirst(places.count)
            return Int64((String(Substring(places)) + "00").prefix(3))
        }

        mutating func offsetMinutes() -> Int64? {
            if skip("Z") || skip("z") { return 0 }
            let sign: Int64
            if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
            guard let hours = digits(2), skip(":"), let minutes = digits(2), hours < 24, minutes < 60 else {
                return nil
            }
            return sign * (hours * 60 + minutes)
        }
    }
}

extension Int64 {
    /// Division that rounds down, so that the remainder is never negative.
    fileprivate func quotientAndFloorModulo(dividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension Date {
    /// A time of the interface.
    /// - Parameter milliseconds: Since 1970.
    package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// Milliseconds since 1970, saturating: a date beyond the 64-bit range is no date that a record can hold.
    package var roundedMilliseconds: Int64 {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: milliseconds) ?? (milliseconds > 0 ? .max : .min)
    }
}
