import KairanInterface
import Foundation
import Identity
import Sync
import Testing
import Wire

@testable import Node

/// State directories in which a file is missing, empty or older than it was.
@Suite(.timeLimit(.minutes(5))) struct `An incomplete state directory` {
    /// The files of a device that has run, by name below the directory.
    private static let lost = [
        "keys/device.key", "keys/account.key", "keys/account.log", "keys", "store.key", "store/kairan.db",
    ]

    /// A device with a record, stopped.
    private func used(_ nodes: Neighbourhood) async throws -> TestDirectory {
        let desk = try await nodes.start()
        try await desk.makeZone("notes")
        try await desk.put("milk", in: "notes", text: "two")
        try await nodes.stop(desk)
        return desk.directory
    }

    private func files(_ directory: TestDirectory) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        let names = ["store.key", "sentinel"] + (directory.exists("keys") ? try keyNames(directory) : [])
        for name in names where directory.exists(name) { files[name] = try directory.bytes(name) }
        return files
    }

    private func keyNames(_ directory: TestDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path + "/keys").map { "keys/" + $0 }
    }

    /// Starts the node, which refuses.
    /// - Returns: The words of the refusal.
    private func refusal(_ nodes: Neighbourhood, _ directory: TestDirectory) async -> String {
        do {
            try await nodes.stop(try await nodes.start(in: directory))
            return "it started"
        } catch {
            return (error as? NodeStartError)?.description ?? "\(error)"
        }
    }

    @Test(arguments: lost)
    func `does not start without one of its files, makes none in its place, and starts when it is back`(
        name: String
    ) async throws {
        try await withNodes { nodes in
            let directory = try await used(nodes)
            let aside = directory.path + "/aside"
            try FileManager.default.moveItem(atPath: directory.path + "/" + name, toPath: aside)
            let before = try files(directory)
            for _ in 1...2 {
                let words = await refusal(nodes, directory)
                #expect(words.contains(directory.path), "\(name): \(words)")
                let hasWayOut = words.contains("kairand begin-anew") || words.contains("kairand accept-loss")
                #expect(hasWayOut, "\(name): \(words)")
                #expect(try files(directory) == before)
            }
            // A start makes an empty database, and nothing else.
            if directory.exists(name) { try directory.remove(name) }
            try FileManager.default.moveItem(atPath: aside, toPath: directory.path + "/" + name)
            let desk = try await nodes.start(in: directory)
            #expect(try await desk.node.records.field("text", of: "milk", in: "notes") == .string("two"))
            #expect(try await desk.node.health.status().state == .ready)
        }
    }

    @Test(arguments: ["keys/device.key", "keys/account.key", "keys/account.log", "store.key", "store/kairan.db"])
    func `does not start with an empty file`(name: String) async throws {
        try await withNodes { nodes in
            let directory = try await used(nodes)
            try Data().write(to: URL(fileURLWithPath: directory.path + "/" + name))
            let words = await refusal(nodes, directory)
            #expect(words.contains("restore") || words.contains("Restore"), "\(name): \(words)")
        }
    }

    @Test func `reports the loss of the recovery words, only on the device that made the account`() async throws {
        try await withNodes { nodes in
            let directory = try await used(nodes)
            let words = try directory.bytes("keys/recovery.key")
            let file = PrivateFile(path: directory.path + "/keys/recovery.key")
            for change in [{ try file.remove() }, { try file.replace([]) }] {
                try change()
                let desk = try await nodes.start(in: directory)
                #expect(try await desk.troubles() == ["recovery.unreadable"])
                try await nodes.stop(desk)
            }
            try file.replace(words)
            let desk = try await nodes.start("desk", in: directory)
            var lap = try await nodes.start("lap")
            try await pair(desk, lap)
            try await nodes.stop(lap)
            try lap.directory.remove("keys/recovery.key")
            lap = try await nodes.start("lap", in: lap.directory)
            #expect(try await desk.troubles().isEmpty)
            #expect(try await lap.troubles().isEmpty)
        }
    }

    @Test func `without any key of its own is no first start`() async throws {
        try await withNodes { nodes in
            let directory = try await used(nodes)
            for name in ["keys", "store.key", "sentinel"] { try directory.remove(name) }
            #expect(await refusal(nodes, directory).contains("keys/account.log"))
            // The contacts or a relay's key alone show that it ran before.
            let other = try TestDirectory()
            try Data([1]).write(to: URL(fileURLWithPath: other.path + "/relay.key"))
            #expect(await refusal(nodes, other).contains("keys/device.key"))
        }
    }

    @Test func `begins anew when it is asked to, with its records, and keeps the old keys aside`() async throws {
        try await withNodes { nodes in
            let directory = try await used(nodes)
            try directory.remove("keys/account.log")
            let moved = try #require(try StateRepair(directory: directory.path).beginAnew())
            #expect(moved == directory.path + "/keys.1")
            // A start that fails does not ask again.
            try directory.remove("store.key")
            #expect(await refusal(nodes, directory).contains("store.key"))
        }
        try await withNodes { nodes in
            let directory = try await used(nodes)
            let account = try directory.bytes("keys/account.key")
            _ = try StateRepair(directory: directory.path).beginAnew()
            #expect(try directory.bytes("keys.1/account.key") == account)
            var desk = try await nodes.start(in: directory)
            #expect(try await desk.node.records.field("text", of: "milk", in: "notes") == .string("two"))
            #expect(try directory.bytes("keys/account.key") != account && !directory.exists("keys/founding"))
            let status = try await desk.node.health.status()
            desk = try await nodes.restart(desk)
            #expect(try await desk.node.health.status().account == status.account)
        }
    }

    @Test func `continues with an empty store on request, under its earlier keys`() async throws {
        try await withNodes { nodes in
            let directory = try await used(nodes)
            let account = try directory.bytes("keys/account.key")
            try directory.remove("store/kairan.db")
            _ = await refusal(nodes, directory)
            #expect(try StateRepair(directory: directory.path).acceptLoss(movingAside: []) == nil)
            var desk = try await nodes.start(in: directory)
            #expect(try await desk.node.zones.list().isEmpty)
            #expect(try await desk.node.health.status().state == .ready)
            #expect(try directory.bytes("keys/account.key") == account && !directory.exists("loss-accepted"))
            #expect(try await desk.troubles() == ["store.renewed"])
            try await desk.makeZone("notes")
            desk = try await nodes.restart(desk)
            #expect(try await desk.troubles().isEmpty)
        }
    }

    @Test func `with an older store reports it across restarts, until a person accepts it`() async throws {
        try await withNodes { nodes in
            let directory = try await used(nodes)
            let backup = try directory.copy()
            var desk = try await nodes.start(in: directory)
            try await desk.put("bread", in: "notes", text: "one")
            try await nodes.stop(desk)
            // The database alone, as a person restores it; the sentinel knows a later commit.
            try FileManager.default.removeItem(atPath: directory.path + "/store")
            try FileManager.default.copyItem(atPath: backup.path + "/store", toPath: directory.path + "/store")
            for _ in 1...2 {
                desk = try await nodes.start(in: directory)
                #expect(try await desk.node.health.status().state == .recovering)
                #expect(try await desk.troubles() == ["store.older"])
                #expect(try await desk.names(in: "notes") == ["milk"])
                try await nodes.stop(desk)
            }
            _ = try StateRepair(directory: directory.path).acceptLoss(movingAside: [])
            desk = try await nodes.start(in: directory)
            #expect(try await desk.node.health.status().state == .ready)
            #expect(try await desk.troubles().isEmpty)
            desk = try await nodes.restart(desk)
            #expect(try await desk.troubles().isEmpty)
        }
    }

    @Test func `is recovering until it has met a device with its missing data, across restarts`() async throws {
        try await withNodes { nodes in
            var desk = try await nodes.start("desk")
            let lap = try await nodes.start("lap")
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            try await desk.put("milk", in: "notes", text: "two")
            try await converged(zone, desk, lap)
            try await nodes.stop(desk)
            try desk.directory.remove("store")
            for _ in 1...2 {
                desk = try await nodes.start("desk", in: desk.directory)
                #expect(try await desk.node.health.status().state == .recovering)
                try await nodes.stop(desk)
            }
            desk = try await nodes.start("desk", in: desk.directory, peers: [lap.address])
            try await desk.untilField("text", of: "milk", in: "notes", is: .string("two"))
            try await desk.until("recovered") { try await $0.health.status().state == .ready }
            desk = try await nodes.restart(desk)
            #expect(try await desk.node.health.status().state == .ready)
        }
    }

    @Test func `with a rolled-back account log does not forget that a device was removed`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await pair(desk, lap)
            try await nodes.stop(desk)
            let old = try desk.directory.bytes("keys/account.log")
            var again = try await nodes.start("desk", in: desk.directory)
            try await nodes.stop(lap)
            try await again.node.devices.removeDevice(lap.node.identity.device, words: nil)
            try await again.makeZone("notes")
            try await nodes.stop(again)
            let new = try desk.directory.bytes("keys/account.log")
            let file = PrivateFile(path: desk.directory.path + "/keys/account.log")
            try file.replace(old)
            // The other device is active in it, so the missing part might come from there.
            for _ in 1...2 {
                again = try await nodes.start("desk", in: desk.directory)
                #expect(try await again.node.health.status().state == .recovering)
                // Commits do not erase the knowledge of the missing part.
                try await again.put("milk", in: "notes", text: "two")
                try await nodes.stop(again)
            }
            try file.replace(new)
            again = try await nodes.start("desk", in: desk.directory)
            #expect(try await again.node.health.status().state == .ready)
            #expect(again.node.identity.accountState.activeDevices.count == 1)
        }
    }

    @Test func `with files of two sets is refused, whichever file is the other one`() async throws {
        try await withNodes { nodes in
            let directory = try await used(nodes)
            let other = try await used(nodes)
            for (name, hint) in [
                ("keys/account.key", "another account"), ("keys/account.log", "another account"),
                ("keys/device.key", "device"),
            ] {
                let own = try directory.bytes(name)
                let certificate = try directory.bytes("keys/device.certificate")
                try PrivateFile(path: directory.path + "/" + name).replace(try other.bytes(name))
                // With its certificate gone too, only the account shows that the keys are another device's.
                if name == "keys/device.key" { try directory.remove("keys/device.certificate") }
                #expect(await refusal(nodes, directory).contains(hint), "\(name)")
                try PrivateFile(path: directory.path + "/" + name).replace(own)
                try PrivateFile(path: directory.path + "/keys/device.certificate").replace(certificate)
            }
            let desk = try await nodes.start(in: directory)
            #expect(try await desk.names(in: "notes") == ["milk"])
        }
    }

    /// The states that a crash can leave between the files of an account that is joined.
    @Test(arguments: [false, true])
    func `that was entering an account is a device of the one or the other`(hasSecrets: Bool) async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            let lap = try await nodes.start("lap")
            try await nodes.stop(lap)
            let before = try lap.directory.copy()
            let own = try await nodes.start("lap", in: lap.directory)
            try await pair(desk, own)
            try await nodes.stop(own)
            let account = try await desk.node.health.status().account
            // As before the pairing, except for the files that were written already.
            let (log, secrets) = (
                try own.directory.bytes("keys/account.log"), try own.directory.bytes("keys/account.key")
            )
            try own.directory.restore(from: before)
            try PrivateFile(path: own.directory.path + "/keys/account.log.joining").replace(log)
            if hasSecrets { try PrivateFile(path: own.directory.path + "/keys/account.key").replace(secrets) }
            let again = try await nodes.start("lap", in: own.directory)
            #expect(try await (again.node.health.status().account == account) == hasSecrets)
            #expect(!own.directory.exists("keys/account.log.joining"))
        }
    }

    /// The states that a kill can leave of a first start: its files come in one order.
    @Test(arguments: 0...6) func `of a first start that was killed is finished by the next`(_ count: Int) async throws {
        try await withNodes { nodes in
            let whole = try await nodes.start()
            try await nodes.stop(whole)
            let directory = try TestDirectory()
            let made = ["device.key", "device.certificate", "recovery.key", "account.key", "account.log"]
            try FileManager.default.createDirectory(atPath: directory.path + "/keys", withIntermediateDirectories: true)
            try Data().write(to: URL(fileURLWithPath: directory.path + "/keys/founding"))
            for name in made.prefix(count) {
                try FileManager.default.copyItem(
                    atPath: whole.directory.path + "/keys/" + name,
                    toPath: directory.path + "/keys/" + name
                )
            }
            if count > 5 {
                try FileManager.default.copyItem(
                    atPath: whole.directory.path + "/store.key",
                    toPath: directory.path + "/store.key"
                )
            }
            let desk = try await nodes.start(in: directory)
            #expect(try await desk.troubles().isEmpty)
            #expect(try await desk.node.health.status().state == .ready)
            if count >= 5 { #expect(try await desk.node.health.status().account == whole.node.identity.account) }
            let device = try await desk.node.health.status().device
            if count > 0 { #expect(device == whole.node.identity.device) }
            let again = try await nodes.restart(desk)
            #expect(try await again.troubles().isEmpty)
            #expect(try await again.node.health.status().device == device)
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A state directory that is taken away while the daemon runs` {
    @Test(arguments: [false, true]) func `is not written to any more, and the status shows it`(
        isReplaced: Bool
    ) async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await desk.makeZone("notes")
            let (path, away) = (desk.directory.path, desk.directory.path + ".away")
            let copy = try desk.directory.copy()
            try FileManager.default.moveItem(atPath: path, toPath: away)
            if isReplaced { try FileManager.default.copyItem(atPath: copy.path, toPath: path) }
            try await expectRefusal(.storageFailed) { try await desk.put("milk", in: "notes", text: "two") }
            #expect(try await desk.troubles() == ["storage.displaced"])
            #expect(try await desk.node.health.status().state == .degraded)
            // Reads go on, and the account's files of another directory are not written.
            #expect(try await desk.names(in: "notes").isEmpty)
            // Rulings that the store refuses are tried again, and need no warning beside that of the store.
            desk.node.commitService.ruleZones(suppliesKeys: false, through: desk.node.store.commits)
            await desk.node.maintenance.work()
            if isReplaced {
                #expect(throws: PrivateFile.Failure.self) { try desk.node.identity.files.writeAccountEntries([]) }
                try FileManager.default.removeItem(atPath: path)
            }
            // Idle, it finds out by itself as well; and it goes on when the directory is back.
            desk.node.commitService.health.clear("storage.displaced")
            await desk.node.maintenance.work()
            let found = try await desk.troubles()
            #expect(found == ["storage.displaced"])
            try FileManager.default.moveItem(atPath: away, toPath: path)
            await desk.node.maintenance.work()
            #expect(try await desk.troubles().isEmpty)
            try await desk.put("milk", in: "notes", text: "two")
        }
    }
}
