@testable import JetStream
import Mailbox
import Testing

@Suite("The safety of a cluster", .serialized)
struct JetStreamSafetyTests {
    private func facts(_ change: (inout JetStreamSafety.Facts) -> Void) -> [JetStreamFinding.Code] {
        let members = ["n1", "n2", "n3"]
        var facts = JetStreamSafety.Facts(
            version: "2.12.4",
            replicaCount: 3,
            members: members,
            servers: members.map { JetStreamSafety.Server(name: $0, version: "2.14.0", syncsAlways: true) }
        )
        change(&facts)
        return JetStreamSafety.findings(facts).map(\.code)
    }

    @Test func `is derived from versions, replicas and syncing`() {
        #expect(facts { _ in } == [])
        #expect(facts { $0.version = "2.12.3" } == [.serverTooOld])
        #expect(facts { $0.version = "2.9.25-beta.1" } == [.serverTooOld])
        #expect(facts { $0.version = "3.0.0-RC.2" } == [])
        #expect(facts { $0.servers?[1].version = "2.11.0" } == [.serverTooOld])
        #expect(facts { $0.replicaCount = 1 } == [.oneReplica])
        #expect(facts { $0.replicaCount = 2 } == [.evenReplicas])
        #expect(facts { $0.behind = ["n2"] } == [.replicaBehind])
        #expect(facts { $0.servers?[2].syncsAlways = false } == [.syncLate])
        #expect(facts { $0.servers?.removeLast() } == [.syncUnknown])
        #expect(facts { $0.servers = nil } == [.syncUnknown])
        #expect(
            facts {
                $0.version = nil
                $0.servers = nil
            } == [.versionUnknown, .syncUnknown]
        )
    }

    @Test func `is complete on three servers that always sync`() async throws {
        try await Cluster.with(3) { cluster in
            let storage = try await cluster.open()
            try await cluster.whole(storage)
            #expect(try await storage.findings() == [])
            cluster.servers[1].kill()
            try await until("the server that is away is found") {
                ((try? await storage.findings()) ?? []).map(\.code) == [.replicaBehind]
            }
            await storage.close()
        }
    }

    @Test func `is the same for users with only the permissions of the handbook's example`() async throws {
        try await Cluster.with(1, syncsAlways: true) { cluster in
            var options = cluster.options()
            options.servers = [cluster.servers[0].url("confined-relay")]
            options.observers = [cluster.servers[0].url("confined-observer")]
            let storage = try await JetStreamParcelStorage.open(options, logger: quiet)
            #expect(try await storage.findings().map(\.code) == [.oneReplica])
            try await storage.admit(Things.admission())
            #expect(try await storage.put(Things.deposit(1)) == .stored)
            #expect(try await storage.put(Things.deposit(1, until: 2_000)) == .stored)
            #expect(try await storage.parcels(in: [Things.mailbox()], limit: 9).count == 1)
            try await storage.remove([Things.parcel(1).id], from: Things.mailbox())
            #expect(try await storage.expire(at: 9_000, limit: 9) == 0)
            #expect(try await storage.dismiss(Things.admission().id))
            await storage.close()
        }
    }

    @Test func `is less on one server that syncs late, or of which that cannot be seen`() async throws {
        try await Cluster.with(1, syncsAlways: false) { cluster in
            let storage = try await cluster.open()
            #expect(try await storage.findings().map(\.code) == [.oneReplica, .syncLate])
            await storage.close()
            var options = cluster.options()
            options.observers = []
            let blind = try await JetStreamParcelStorage.open(options, logger: quiet)
            #expect(try await blind.findings().map(\.code) == [.oneReplica, .syncUnknown])
            await blind.close()
        }
    }

    @Test func `is not bought with a stream or servers that lose parcels`() async throws {
        try await Cluster.with(1, syncsAlways: false) { cluster in
            let connection = try NATSConnection(cluster.options())
            var configuration = StreamConfiguration(name: "OTHER", subjects: ["OTHER.>"], num_replicas: 1)
            configuration.max_age = 3_600_000_000_000
            configuration.discard = "old"
            let request = NATSMessage(
                subject: "$JS.API.STREAM.CREATE.OTHER",
                bytes: ParcelStream.encode(configuration)
            )
            _ = try connection.send([request])
            connection.close()
            let error = await #expect(throws: ParcelStorageError.self) { try await cluster.open("OTHER") }
            guard case .unavailable(let words) = error else { return #expect(Bool(false)) }
            #expect(words.contains("OTHER"))
        }
        try await Cluster.with(1, syncsAlways: false, payload: "500KB") { cluster in
            let error = await #expect(throws: ParcelStorageError.self) { try await cluster.open() }
            guard case .unavailable(let words) = error else { return #expect(Bool(false)) }
            #expect(words.contains("max_payload"))
        }
    }

    @Test func `does not let passwords into errors`() async throws {
        try await Cluster.with(1, syncsAlways: false) { cluster in
            var options = cluster.options()
            options.servers = [cluster.servers[0].url("relay", password: "wrong-password")]
            let error = await #expect(throws: ParcelStorageError.self) {
                try await JetStreamParcelStorage.open(options, logger: quiet)
            }
            #expect(!"\(String(describing: error))".contains("wrong-password"))
            options.servers = ["nats://relay:wrong-password@127.0.0.1:1", "nonsense://x:wrong-password@y"]
            let other = await #expect(throws: ParcelStorageError.self) {
                try await JetStreamParcelStorage.open(options, logger: quiet)
            }
            #expect(!"\(String(describing: other))".contains("wrong-password"))
        }
    }
}
