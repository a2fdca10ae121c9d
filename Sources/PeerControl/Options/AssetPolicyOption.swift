import ArgumentParser
import KairanClient

/// The policy of a zone for assets, as written on the command line.
struct AssetPolicyOption: ExpressibleByArgument, Hashable {
    /// The policy; `nil` for the device's default.
    var policy: AssetClient.Policy?

    /// The words that a shell completes.
    static let words = ["never", "on-demand", "always", "default"]

    init?(argument: String) {
        switch argument {
        case "never": policy = .never
        case "on-demand": policy = .onDemand
        case "always": policy = .always
        case "default": policy = nil
        default:
            guard let size = Self.size(argument) else { return nil }
            policy = .upTo(size)
        }
    }

    /// Reads a size, as ``ByteCountOption`` takes it.
    static func size(_ text: String) -> UInt64? { ByteCountOption(argument: text)?.byteCount }
}

/// A number of bytes, as written on the command line: a whole number, or one with K, M or G.
struct ByteCountOption: ExpressibleByArgument, Hashable {
    /// The number.
    var byteCount: UInt64

    init?(argument: String) {
        guard let byteCount = Self.byteCount(argument) else { return nil }
        self.byteCount = byteCount
    }

    private static func byteCount(_ text: String) -> UInt64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let count = UInt64(digits) else { return nil }
        let unit: UInt64
        switch text.dropFirst(digits.count).lowercased() {
        case "": unit = 1
        case "k", "kib": unit = 1 << 10
        case "m", "mib": unit = 1 << 20
        case "g", "gib": unit = 1 << 30
        default: return nil
        }
        let (size, overflows) = count.multipliedReportingOverflow(by: unit)
        return overflows || size > UInt64(Int64.max) ? nil : size
    }
}
