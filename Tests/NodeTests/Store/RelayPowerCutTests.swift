import CFaultyVFS
import Foundation
import Identity
import Mailbox
import Sodium
import Store
import Testing
import Wire

@testable import Node

/// The database of a relay's parcels on a disk of which the test knows what a power cut would leave.
private final class Disk: Sendable {
    private let handle: Int32

    init(_ directory: TestDirectory) throws {
        handle = faulty_install() ? faulty_attach(directory.path) : -1
        guard handle >= 0 else { throw Missing(description: "a disk") }
    }

    deinit { faulty_detach(handle) }

    /// From now on a sync is reported and not made.
    func skipSyncs() { faulty_ignore_sync(handle, true) }

    /// From now on each sync fails, until `recover()`.
    func failSyncs() { faulty_fail(handle, UInt32(FAULTY_SYNC), 0, .max, UInt32(FAULTY_ERROR)) }

    func recover() { faulty_clear(handle) }

    /// Returns the files that a power cut at this moment leaves.
    func cut() throws -> TestDirectory {
        let copy = try TestDirectory()
        try FileManager.default.createDirectory(atPath: copy.path + "/store", withIntermediateDirectories: true)
        guard faulty_materialise(handle, 1, UInt32(FAULTY_LOSE), copy.path) else {
            throw Missing(description: "a copy of the disk")
        }
        return copy
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A relay's answer that it keeps a parcel` {
    private let mailbox = MailboxProof(key: SymmetricKey.generate().exportBytes(), other: .zero)
    private let parcel = SealedParcel(bytes: [UInt8](repeating: 1, count: 4_096))

    /// Runs a body with a relay on a disk, and a program that was admitted there.
    private func withRelay(_ body: @escaping @Sendable (Disk, RelayCaller) async throws -> Void) async throws {
        let directory = try TestDirectory()
        // None of its files may be open when it goes.
        let disk = try Disk(directory)
        defer { withExtendedLifetime(disk) {} }
        try await withNodes { nodes in
            let relay = try await nodes.start("relay", in: directory, isRelay: true)
            let (_, text) = try await relay.node.admitting.admit(
                name: "lap",
                quotaByteCount: 1 << 20,
                addresses: [relay.relayAddress.description]
            )
            let link = try RelayLink(typed: text)
            try await RelayCaller.meet(relay.relayAddress, link) { [disk] caller in
                guard case .entered = try await caller.ask(.enter(secret: link.admissionSecret)) else {
                    throw Missing(description: "entered")
                }
                try await body(disk, caller)
            }
        }
    }

    /// The parcel that a relay finds after a power cut.
    private func kept(_ disk: Disk) async throws -> [UInt8]? {
        let copy = try disk.cut()
        let storage = try await SQLiteParcelStorage.open(StateDirectory(path: copy.path))
        let bytes = try await storage.parcel(parcel.id, in: MailboxID(put: mailbox))
        try storage.close()
        return bytes
    }

    @Test(arguments: [true, false])
    func `comes when a power cut no longer takes the parcel, unless the disk lies`(_ isHonest: Bool) async throws {
        try await withRelay { disk, caller in
            if !isHonest { disk.skipSyncs() }
            guard case .stored = try await caller.ask(.put(mailbox, parcel: parcel.bytes)) else {
                throw Missing(description: "stored")
            }
            #expect(try await kept(disk) == (isHonest ? parcel.bytes : nil))
        }
    }

    @Test func `does not come while the disk cannot be synced`() async throws {
        try await withRelay { disk, caller in
            disk.failSyncs()
            #expect(try await caller.ask(.put(mailbox, parcel: parcel.bytes)) == .refused(.unavailable))
            #expect(try await kept(disk) == nil)
            disk.recover()
            guard case .stored = try await caller.ask(.put(mailbox, parcel: parcel.bytes)) else {
                throw Missing(description: "stored")
            }
            #expect(try await kept(disk) == parcel.bytes)
        }
    }
}
