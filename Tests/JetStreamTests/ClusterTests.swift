@testable import JetStream
import Mailbox
import Testing
import Wire

@Suite("A cluster that loses servers", .serialized)
struct ClusterTests {
    private func check(_ kept: [Int], in storage: JetStreamParcelStorage) async throws {
        // Writes of other front ends are visible for sure once a later write of this one is.
        try storage.keeper.stream.mark()
        let listed = try await storage.parcels(in: (0..<Load.mailboxCount).map { Things.mailbox($0) }, limit: .max)
        let names = Set(listed.map { ParcelKey(mailbox: $0.mailbox, parcel: $0.parcel) })
        #expect(names.count == listed.count)
        for number in kept {
            let deposit = Load.deposit(number)
            #expect(names.contains(ParcelKey(deposit)), "\(number) is lost")
            #expect(try await storage.parcel(deposit.parcel.id, in: deposit.mailbox) == deposit.parcel.bytes)
        }
        let usage = try #require(try await storage.admission(Things.admission().id))
        let sum = listed.reduce(0) { $0 + $1.byteCount + ParcelDeposit.rowByteCount }
        #expect(usage.parcelCount == UInt64(listed.count) && usage.byteCount == sum)
    }

    @Test func `keeps all that it acknowledged when its leader and then another server is killed under load`()
        async throws
    {
        try await Cluster.with(3) { cluster in
            let storages = [try await cluster.open(), try await cluster.open()]
            try await storages[0].admit(Things.admission())
            let load = Load()
            try await withThrowingTaskGroup { group in
                for worker in 0..<Load.workerCount {
                    group.addTask { await load.run(storages[worker % 2], worker) }
                }
                defer { load.end() }
                try await load.more(40)
                let leader = try storages[0].keeper.stream.information().cluster?.leader
                let first = try #require(cluster.servers.first { $0.settings.name == leader })
                first.kill()
                try await load.more(40)
                try await first.start()
                try await cluster.whole(storages[0])
                try await load.more(10)
                let second = try #require(cluster.servers.first { $0.settings.name != leader })
                second.kill()
                try await load.more(40)
                try await second.start()
                try await cluster.whole(storages[0])
                load.end()
                try await group.waitForAll()
            }
            let acknowledged = load.kept
            #expect(acknowledged.count >= 130)
            for storage in storages {
                try await check(acknowledged, in: storage)
                await storage.close()
            }
            // All at once, as when the power fails for all servers.
            for server in cluster.servers { server.kill() }
            for server in cluster.servers { try await server.start() }
            let storage = try await cluster.open()
            try await check(acknowledged, in: storage)
            await storage.close()
        }
    }

    @Test func `fills a server again that lost its stream`() async throws {
        try await Cluster.with(3) { cluster in
            let storage = try await cluster.open()
            try await storage.admit(Things.admission())
            for number in 0..<30 {
                let deposit = Load.deposit(number)
                #expect(try await storage.put(deposit) == .stored)
            }
            try await cluster.whole(storage)
            cluster.servers[2].kill()
            try cluster.servers[2].dropStream("KAIRAN")
            try await cluster.servers[2].start()
            try await cluster.whole(storage)
            await storage.close()

            // The other two cannot both be needed: with one of them gone, the one that was filled has to help.
            cluster.servers[0].kill()
            var options = cluster.options()
            options.servers = [cluster.servers[2].url()]
            let filled = try await JetStreamParcelStorage.open(options, logger: quiet)
            try await check(Array(0..<30), in: filled)
            #expect(try await filled.put(Things.deposit(99)) == .stored)
            await filled.close()
        }
    }

    @Test func `reports that it is unavailable when most servers are gone, and resumes when they are back`()
        async throws
    {
        try await Cluster.with(3) { cluster in
            try await cluster.open().close()
            var options = cluster.options()
            options.patience = .seconds(2)
            let storage = try await JetStreamParcelStorage.open(options, logger: quiet)
            try await storage.admit(Things.admission())
            #expect(try await storage.put(Things.deposit(1)) == .stored)
            for server in cluster.servers.prefix(2) { server.kill() }
            await #expect(throws: ParcelStorageError.self) { try await storage.put(Things.deposit(2)) }
            for server in cluster.servers.prefix(2) { try await server.start() }
            try await until("parcels are taken again") {
                (try? await storage.put(Things.deposit(2))) == .stored
            }
            #expect(try await storage.parcels(in: [Things.mailbox()], limit: 9).count == 2)
            await storage.close()
        }
    }
}
