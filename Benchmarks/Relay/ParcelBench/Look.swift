import ArgumentParser
import Dispatch
import Foundation
import Identity
import Logging
import Node
import Session
import Sodium
import Transport
import Wire

/// Has sessions with a relay, as idle devices have: each looks into all its mailboxes, and then each minute into
/// those of three days.
struct Look: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Has idle sessions with a relay.",
        discussion: """
            The relay's link is the first line on standard input. A JSON object says when every session has looked into all its \
            mailboxes; the sessions last until standard input ends.
            """
    )

    @Option(help: "How many sessions.")
    var sessions = 10

    @Option(help: "Into how many mailboxes they look together.")
    var mailboxes = 1_000

    /// The number of days whose mailboxes a device looks into, and of those that it looks into each minute.
    private static let days = (all: 33, new: 3)

    func validate() throws {
        guard sessions > 0, mailboxes >= sessions else { throw ValidationError("each session has a mailbox at least") }
    }

    func run() async throws {
        let link = try RelayLink(typed: readLine() ?? "")
        let caller = RelayCaller()
        // The first version of the channel, which needs nothing else to be built: once a session stands, versions do not differ.
        let transport = PeerTransport(
            listen: [],
            identity: ChannelIdentity(AgreementKey.generate()),
            agreement: .classical,
            sink: caller,
            logger: Logger(label: "parcel-bench") { _ in SwiftLogNoOpLogHandler() }
        )
        var stand: [(connection: any PeerConnection, proofs: [MailboxProof])] = []
        for session in 0..<sessions {
            let connection = try await caller.dial(link, by: transport)
            let count = mailboxes / sessions + (session < mailboxes % sessions ? 1 : 0)
            stand.append((connection, (0..<count).map { _ in Self.proof() }))
            guard case .entered = try await caller.ask(.enter(secret: link.admissionSecret), connection) else {
                throw BenchError.relay("it does not let in")
            }
            try await look(caller, connection, stand[session].proofs)
        }
        try FileHandle.standardOutput.write(
            contentsOf: Data("{\"mailboxes\":\(mailboxes),\"sessions\":\(sessions)}\n".utf8)
        )
        DispatchQueue.global().async {
            while readLine() != nil {}
            Look.exit()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, (connection, proofs)) in stand.enumerated() {
                // Devices did not all begin at the same time.
                let first = Duration.seconds(60) * (Double(index + 1) / Double(stand.count))
                group.addTask {
                    try await Task.sleep(for: first)
                    while true {
                        let count = (proofs.count * Self.days.new + Self.days.all - 1) / Self.days.all
                        try await look(caller, connection, Array(proofs.prefix(count)))
                        try await Task.sleep(for: .seconds(60))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func look(
        _ caller: RelayCaller,
        _ connection: any PeerConnection,
        _ proofs: [MailboxProof]
    ) async throws {
        for start in stride(from: 0, to: proofs.count, by: Limits.mailboxCountMax) {
            let some = Array(proofs[start..<min(start + Limits.mailboxCountMax, proofs.count)])
            guard case .listed = try await caller.ask(.look(some), connection) else {
                throw BenchError.relay("it does not list")
            }
        }
    }

    /// A proof for a mailbox of no device: any key and any hash are one.
    private static func proof() -> MailboxProof {
        var random = SystemRandom()
        let other = Digest32(word0: random.next(), word1: random.next(), word2: random.next(), word3: random.next())
        return MailboxProof(key: SystemRandom.bytes(MailboxProof.keyByteCount), other: Hash(other))
    }
}
