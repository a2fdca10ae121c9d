import KairanInterface

/// A time as cameras state it: a moment, or what the camera's clock showed in a zone that it does not state.
package enum CameraTime: Sendable, Hashable {
    /// A moment, in milliseconds since 1970.
    case moment(Int64)
    /// The reading of a clock, in the milliseconds since 1970 that it would be in UTC.
    case clock(Int64)

    /// Reads ExifTool's form: `2026:07:21 09:30:00.125+02:00`, where the fraction and the zone may be missing.
    ///
    /// A fraction is cut to milliseconds. `nil` for every other text, such as the zeros of a camera that was never set.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 19, bytes[4] == UInt8(ascii: ":"), bytes[7] == UInt8(ascii: ":"),
            bytes[10] == UInt8(ascii: " ")
        else { return nil }
        var form = Array(bytes[..<19])
        (form[4], form[7], form[10]) = (UInt8(ascii: "-"), UInt8(ascii: "-"), UInt8(ascii: "T"))
        var rest = bytes[19...]
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard !digits.isEmpty else { return nil }
            form += [UInt8(ascii: ".")] + digits.prefix(3)
            rest = rest[digits.endIndex...]
        }
        let zone = String(decoding: rest, as: UTF8.self)
        let stated = String(decoding: form, as: UTF8.self)
        guard let milliseconds = RFC3339.milliseconds(stated + (zone.isEmpty ? "Z" : zone)) else { return nil }
        self = zone.isEmpty ? .clock(milliseconds) : .moment(milliseconds)
    }

    /// The moment.
    /// - Parameter instant: The moment at which a clock of this machine showed a time.
    /// - Returns: Milliseconds since 1970; `nil` where no clock here ever showed this.
    package func milliseconds(_ instant: (_ clock: Int64) -> Int64?) -> Int64? {
        switch self {
        case .moment(let milliseconds): milliseconds
        case .clock(let reading): instant(reading)
        }
    }
}
