import ArgumentParser
import Foundation
import JetStream
import Logging
import Mailbox
import Store

/// Puts parcels into a storage and takes them out again; one JSON object reports the pace, and the memory and disk
/// space used meanwhile.
struct Keep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Puts parcels into a storage and takes them out again.")

    /// The kind of storage.
    enum Kind: String, ExpressibleByArgument {
        case sqlite
        case jetstream
    }

    @Option(help: "What to keep parcels in: sqlite or jetstream.")
    var storage: Kind

    @Option(help: "Where SQLite's database is made.")
    var directory: String?

    @Option(parsing: .upToNextOption, help: "JetStream's servers: nats://USER:PASSWORD@HOST:PORT.")
    var server: [String] = []

    @Option(help: "On how many of them each parcel is kept.")
    var replicas = 3

    @Option(help: "How many parcels.")
    var count = 10_000

    @Option(help: "Bytes of each.")
    var bytes = 4_096

    @Option(help: "How many puts are under way at once.")
    var atOnce = 64

    @Option(help: "How many of the parcels are put one after another, before the others.")
    var alone = 500

    @Option(help: "In how many mailboxes; unless it is said, as many as are filled with 256 parcels each.")
    var mailboxes: Int?

    @Option(help: "Under how many admissions.")
    var admissions = 8

    @Option(help: "How many take at once, each out of mailboxes of its own.")
    var takers = 8

    @Option(help: "The folder whose bytes on the disk are counted.")
    var measure: String?

    @Option(parsing: .upToNextOption, help: "Further processes whose memory is looked at: the servers'.")
    var process: [Int32] = []

    func validate() throws {
        guard count > 0, bytes > 0, atOnce > 0, alone >= 0, admissions > 0, takers > 0,
            mailboxes.map({ $0 > 0 }) ?? true
        else { throw ValidationError("all numbers are at least 1") }
        switch storage {
        case .sqlite where directory == nil: throw ValidationError("--storage sqlite needs --directory")
        case .jetstream where server.isEmpty: throw ValidationError("--storage jetstream needs --server")
        default: break
        }
    }

    func run() async throws {
        let quiet = Logger(label: "parcel-bench") { _ in SwiftLogNoOpLogHandler() }
        switch storage {
        case .sqlite:
            let storage = try await SQLiteParcelStorage.open(StateDirectory(path: directory ?? ""))
            try await measure(storage)
            try storage.close()
        case .jetstream:
            let options = JetStreamOptions(servers: server, replicaCount: replicas)
            let storage = try await JetStreamParcelStorage.open(options, logger: quiet)
            try await measure(storage)
            await storage.close()
        }
    }

    private func measure(_ storage: some ParcelStorage) async throws {
        let load = ParcelLoad(
            count: count,
            byteCount: bytes,
            mailboxCount: mailboxes ?? (count + 255) / 256,
            admissionCount: admissions
        )
        for admission in load.admissions { try await storage.admit(admission) }
        var report = Report(storage: storage.backend, load: load, atOnce: atOnce, takers: takers)
        let footprint = Footprint(folder: measure, others: process)
        report.before = try footprint.now()

        let alone = min(alone, count)
        report.putAlone = try await Deposits(storage, load, numbers: 0..<alone).run(atOnce: 1)
        report.put = try await Deposits(storage, load, numbers: alone..<count).run(atOnce: atOnce)
        report.waiting = try footprint.now()

        report.drain = try await Withdrawals(storage, load).run(takers: takers)
        report.drained = try footprint.now()
        let left = try await storage.admissions().reduce(0) { $0 + $1.parcelCount }
        guard left == 0 else { throw BenchError.stillThere(left) }
        try report.print()
    }
}

/// The reason why something was not measured.
enum BenchError: Error, CustomStringConvertible {
    case notStored(Int, ParcelOutcome)
    case missing(Int)
    case stillThere(UInt64)
    case unreadable(String)
    case relay(String)

    var description: String {
        switch self {
        case .notStored(let number, let outcome): "parcel \(number) was not kept: \(outcome)"
        case .missing(let count): "\(count) parcels were put and never handed out"
        case .stillThere(let count): "\(count) parcels are still there after all were removed"
        case .unreadable(let path): "\(path) cannot be read"
        case .relay(let words): "the relay: \(words)"
        }
    }
}
