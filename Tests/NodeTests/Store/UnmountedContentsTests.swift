import Foundation
import KairanInterface
import Testing

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `A directory of contents whose disk is not mounted` {
    private static let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    @Test func `is reported, costs no content, and keeps no record from being written`() async throws {
        try await withNodes { nodes in
            let first = try await nodes.start("desk")
            try await first.makeZone("photos")
            try await first.putAsset(Self.bytes, as: "lake", in: "photos")
            try await nodes.stop(first)
            let path = first.directory.path + "/store/payloads"
            try FileManager.default.moveItem(atPath: path, toPath: path + ".disk")
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            let desk = try await nodes.start("desk", in: first.directory)
            await desk.node.maintenance.work()
            #expect(try await desk.troubles() == ["storage.payloads_missing"])
            #expect(try await desk.node.health.status().state == .degraded)
            try await expectRefusal(.storageFailed) { try await desk.readAsset("lake", in: "photos") }
            try await expectRefusal(.storageFailed) { try await desk.upload(Self.bytes, to: "photos") }
            try await desk.put("note", in: "photos", text: "written")
            #expect(try await desk.asset("lake", in: "photos").state == .present)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: path + ".disk", toPath: path)
            await desk.node.maintenance.work()
            #expect(try await desk.troubles().isEmpty)
            #expect(try await desk.readAsset("lake", in: "photos") == Self.bytes)
        }
    }
}
