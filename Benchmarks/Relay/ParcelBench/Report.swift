import Foundation
import Synchronization

/// The pace of some requests.
struct Pace: Encodable {
    let count: Int
    let perSecond: Double
    /// The median time of one, in milliseconds.
    let medianMs: Double
    let p99Ms: Double
    /// The processor time of this process per second: 1 is one processor all the time.
    let processors: Double

    /// Summarises the requests of a run.
    /// - Parameters:
    ///   - count: The number of requests.
    ///   - seconds: The duration of the run.
    ///   - processorSeconds: The processor time that it used.
    ///   - times: The time that each request took, in microseconds.
    init(count: Int, seconds: Double, processorSeconds: Double, times: [UInt32]) {
        let sorted = times.sorted()
        func quantile(_ share: Double) -> Double {
            sorted.isEmpty ? 0 : Double(sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]) / 1_000
        }
        self.count = count
        perSecond = Double(count) / seconds
        medianMs = quantile(0.5)
        p99Ms = quantile(0.99)
        processors = processorSeconds / seconds
    }
}

/// The figures of one storage.
struct Report: Encodable {
    let storage: String
    let count: Int
    let bytes: Int
    let mailboxes: Int
    let admissions: Int
    let atOnce: Int
    let takers: Int
    var putAlone: Pace?
    var put: Pace?
    var drain: Pace?
    var before: Footprint.Figures?
    var waiting: Footprint.Figures?
    var drained: Footprint.Figures?

    init(storage: String, load: ParcelLoad, atOnce: Int, takers: Int) {
        self.storage = storage
        count = load.count
        bytes = load.byteCount
        mailboxes = load.mailboxes.count
        admissions = load.admissions.count
        self.atOnce = atOnce
        self.takers = takers
    }

    /// Prints the report on standard output.
    func print() throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = .sortedKeys
        try FileHandle.standardOutput.write(contentsOf: encoder.encode(self) + Data("\n".utf8))
    }
}

/// Reports progress on standard error, some times a minute.
final class Progress: Sendable {
    private static let interval = Duration.seconds(5)

    private struct State {
        var count = 0
        var next = ContinuousClock.now + Progress.interval
    }

    private let what: String
    private let total: Int
    private let begun = ContinuousClock.now
    private let state = Mutex(State())

    init(_ what: String, _ total: Int) {
        (self.what, self.total) = (what, total)
    }

    /// Adds to the number of finished requests.
    func add(_ more: Int) {
        let now = ContinuousClock.now
        let said = state.withLock { state -> Int? in
            state.count += more
            guard now >= state.next else { return nil }
            state.next = now + Self.interval
            return state.count
        }
        guard let said else { return }
        let rate = Int(Double(said) / (now - begun).seconds)
        FileHandle.standardError.write(Data("  \(said) of \(total) \(what), \(rate)/s\n".utf8))
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
    /// At most an hour.
    var microseconds: UInt32 { UInt32(clamping: Int64(seconds * 1_000_000)) }
}
