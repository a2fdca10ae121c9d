import Testing
import Wire

@testable import Node

extension RunningNode {
    /// Uploads content for assets of a zone.
    func upload(_ bytes: [UInt8], to zone: String) async throws -> PayloadID {
        let pieces = AsyncStream<[UInt8]> { continuation in
            for begin in stride(from: 0, to: bytes.count, by: 50_000) {
                continuation.yield(Array(bytes[begin..<min(begin + 50_000, bytes.count)]))
            }
            continuation.finish()
        }
        let payload = try await node.payloads.handIn(pieces, zone: zone, announced: UInt64(bytes.count))
        #expect(payload.byteCount == UInt64(bytes.count))
        return payload.id
    }

    /// Uploads content, and names it in the field `picture` of a record.
    @discardableResult
    func putAsset(_ bytes: [UInt8], as name: String, in zone: String) async throws -> PayloadID {
        let asset = try await upload(bytes, to: zone)
        try await put(name, in: zone, [("picture", .named(asset, fileName: name))])
        return asset
    }

    /// Reads the whole content of a field.
    func readAsset(
        _ name: String,
        in zone: String,
        field: String = "picture",
        item: Int? = nil,
        waitMilliseconds: UInt64 = 0
    ) async throws -> [UInt8] {
        let place = AssetPlace(zone: zone, record: name, field: field, item: item)
        var bytes: [UInt8] = []
        while true {
            let part = try await node.assets.content(
                place,
                from: UInt64(bytes.count),
                waitMilliseconds: waitMilliseconds
            )
            guard !part.bytes.isEmpty else { return bytes }
            bytes += part.bytes
        }
    }

    /// The asset of a record's field `picture`.
    func asset(_ name: String, in zone: String) async throws -> AssetView {
        try await node.assets.asset(AssetPlace(zone: zone, record: name, field: "picture"))
    }
}

extension FieldValue {
    /// An asset as a program names it.
    static func named(_ asset: PayloadID, fileName: String = "", thumbnail: [UInt8] = []) -> FieldValue {
        .asset(
            AssetDescriptor(
                payload: asset,
                size: 0,
                secret: .unknown,
                mediaType: "image/png",
                fileName: fileName,
                modified: nil,
                thumbnail: thumbnail
            )
        )
    }

    /// The asset; `nil` for any other value.
    var descriptor: AssetDescriptor? {
        guard case .asset(let asset) = self else { return nil }
        return asset
    }
}
