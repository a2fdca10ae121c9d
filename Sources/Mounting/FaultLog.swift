internal import Synchronization

/// Reports failures of readings, each one once as long as it is the same.
///
/// A program that reads again and again would otherwise fill the log: two readings fail for each one of a program, since the kernel asks
/// for a single page once it has asked for many.
final class FaultLog: Sendable {
    private let report: @Sendable (String) -> Void
    private let last = Mutex("")

    /// Makes a log.
    init(_ report: @escaping @Sendable (String) -> Void) { self.report = report }

    /// Reports a failure, unless it was the last one to be reported.
    func note(_ error: any Error, reading path: String) { note("\(Self.visible(path)) cannot be read: \(error)") }

    /// Reports that a change was refused, unless it was the last one to be reported.
    func note(_ error: any Error, changing path: String) {
        note("\(Self.visible(path)) cannot be changed: \(error)")
    }

    /// Reports a message, unless it was the last one to be reported.
    func note(_ message: String) {
        let isNew = last.withLock { last in
            defer { last = message }
            return last != message
        }
        if isNew { report(message) }
    }

    /// A path on one line: control characters as `\x0A`.
    static func visible(_ path: String) -> String {
        path.unicodeScalars.map { scalar in
            guard scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) else { return String(scalar) }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return "\\x" + (digits.utf8.count < 2 ? "0" : "") + digits
        }.joined()
    }
}
