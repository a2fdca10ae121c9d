import FoundationEssentials
import KairanClient
import KairanInterface
import Wire

/// Content that was uploaded for assets.
struct MemoryContent: Sendable {
    /// The bytes of an answer, with its head.
    struct Part: Sendable {
        var status: Int
        var headers: [(String, String)]
        var bytes: ArraySlice<UInt8>
    }

    /// The bytes of a piece of an answer: a content comes in several, as from the daemon.
    static let pieceByteCount = 65_536

    var bytes: [UInt8]
    /// The zone that it was uploaded for.
    var zone: String
}

extension MemoryCore {
    /// The sizes of the uploaded contents by their ids.
    var contentSizes: [String: UInt64] { contents.mapValues { UInt64($0.bytes.count) } }

    /// Answers a request about assets.
    /// - Throws: ``MemoryRefusal``: `double.unsupported` for every other request.
    mutating func answerAboutAssets(
        _ request: MemoryRequest,
        using generator: inout some RandomNumberGenerator
    ) throws(MemoryRefusal) -> Answer {
        switch request.route {
        case MemoryRequest.uploadRoute: return try upload(request, using: &generator)
        case "GET zones/*/assets": return Answer(body: try assetPage(request))
        case "GET zones/*/records/*/assets/*", "POST zones/*/records/*/assets/*/fetch",
            "POST zones/*/records/*/assets/*/cancel":
            // All of it is here: there is nothing to fetch, and nothing to cancel.
            return Answer(body: try asset(request))
        case "POST zones/*/records/*/assets/*/evict":
            _ = try asset(request)
            // There is no other device that could keep it.
            throw .assetNotSafe
        case "POST zones/*/assets/link":
            _ = try zone(request.names[0])
            // It has no roots.
            throw .linkPath
        case "POST zones/*/records/*/assets/*/link":
            _ = try asset(request)
            throw .linkPath
        case "POST zones/*/records/*/assets/*/unlink": return Answer(body: try asset(request))
        case "GET links":
            if let name = request.query["zone"] { _ = try zone(name) }
            return Answer(body: AssetLinkPage(links: []))
        case "GET zones/*/records/*/assets/*/content": return Answer(content: try content(request))
        case "GET zones/*/assets/policy", "PUT zones/*/assets/policy", "DELETE zones/*/assets/policy":
            return Answer(body: try assetPolicy(request))
        default: throw .unsupported("It has no answer to \(request.text).")
        }
    }

    /// Checks that a record names only contents that its zone may name.
    /// - Throws: `asset.unknown`.
    func checkAssets(of record: MemoryRecord, in place: Int) throws(MemoryRefusal) {
        for found in record.fields.values.flatMap(\.assets) {
            let id = found.asset.payload.text
            guard let content = contents[id], content.zone == zones[place].id || names(id, in: place) else {
                throw .assetUnknown("No asset \(id) was uploaded to this zone.")
            }
        }
    }

    private func names(_ id: String, in place: Int) -> Bool {
        zones[place].records.values.contains { record in
            record.fields.values.contains { $0.assets.contains { $0.asset.payload.text == id } }
        }
    }

    // MARK: Requests

    private mutating func upload(
        _ request: MemoryRequest,
        using generator: inout some RandomNumberGenerator
    ) throws(MemoryRefusal) -> Answer {
        makeDefaultZone(namedBy: request.names[0], using: &generator)
        let zone = zones[try zone(request.names[0])].id
        let id = PayloadID(Self.digest(&generator)).text
        contents[id] = MemoryContent(bytes: request.upload, zone: zone)
        let uploaded = UploadedAsset(asset: id, zone: zone, size: UInt64(request.upload.count))
        return Answer(status: 201, body: uploaded)
    }

    private func assetPage(_ request: MemoryRequest) throws(MemoryRefusal) -> AssetPage {
        let limit = try request.limit(default: 200)
        let place = try zone(request.names[0])
        let cursor = try request.query["after"].map { text throws(MemoryRefusal) -> Cursor in
            guard let cursor = Cursor(text) else { throw .badCursor }
            return cursor
        }
        var assets: [Asset] = []
        for record in records(in: place) {
            for (field, value) in record.fields.sorted(by: { $0.key < $1.key }) {
                for found in value.assets {
                    let cursor = Cursor(record.name, field.string, found.item)
                    assets.append(Self.shown(found.asset, at: cursor, record.zone))
                }
            }
        }
        let rest = assets.filter { asset in cursor.map { $0 < Cursor(asset) } ?? true }
        let shown = Array(rest.prefix(limit))
        return AssetPage(assets: shown, cursor: rest.count > limit ? shown.last.map { Cursor($0).text } : nil)
    }

    private func asset(_ request: MemoryRequest) throws(MemoryRefusal) -> Asset {
        let (record, found, item) = try find(request)
        return Self.shown(found, at: Cursor(record.name, request.names[2], item), record.zone)
    }

    /// The asset that a request names.
    private func find(
        _ request: MemoryRequest
    ) throws(MemoryRefusal) -> (record: MemoryRecord, asset: AssetDescriptor, item: Int?) {
        let record = try record(request.names[1], in: try zone(request.names[0]))
        let item = request.query["item"].map { Int($0) ?? -1 }
        let value = record.fields[BytewiseString(request.names[2])]
        guard let found = value?.assets.first(where: { $0.item == item }) else {
            throw .assetUnknown("The field \"\(request.names[2])\" of \"\(record.name)\" names no asset there.")
        }
        return (record, found.asset, item)
    }

    private func content(_ request: MemoryRequest) throws(MemoryRefusal) -> MemoryContent.Part {
        let asset = try find(request).asset
        let bytes = contents[asset.payload.text]?.bytes ?? []
        let type = asset.mediaType.isEmpty ? "application/octet-stream" : asset.mediaType
        let headers = [("content-type", type), ("etag", "\"\(asset.payload.text)\"")]
        let ends = request.range?.split(separator: "=").last?.split(separator: "-").map { Int($0) ?? .max }
        guard let ends, let first = ends.first else {
            return Self.part(bytes[...], headers: headers)
        }
        guard first < bytes.count else { throw .rangeUnsatisfiable(bytes.count) }
        let last = ends.count > 1 ? min(max(ends[1], first), bytes.count - 1) : bytes.count - 1
        return Self.part(
            bytes[first...last],
            status: 206,
            headers: headers + [("content-range", "bytes \(first)-\(last)/\(bytes.count)")]
        )
    }

    private static func part(
        _ bytes: ArraySlice<UInt8>,
        status: Int = 200,
        headers: [(String, String)]
    ) -> MemoryContent.Part {
        let length = ("content-length", "\(bytes.count)")
        return MemoryContent.Part(status: status, headers: headers + [length], bytes: bytes)
    }

    private mutating func assetPolicy(_ request: MemoryRequest) throws(MemoryRefusal) -> AssetPolicySetting {
        let place = try zone(request.names[0])
        if request.route.hasPrefix("PUT") {
            var setsPolicy = true
            if case .bool(let isKept)? = request["relays"] {
                zones[place].keepsAssetsAtRelays = isKept
                setsPolicy = request["policy"] != nil
            }
            if setsPolicy { zones[place].assetPolicy = try Self.policy(request) }
        }
        if request.route.hasPrefix("DELETE") { zones[place].assetPolicy = nil }
        var setting = zones[place].assetPolicy ?? AssetPolicySetting(policy: .always, isDefault: true)
        setting.isKeptAtRelays = zones[place].keepsAssetsAtRelays
        return setting
    }

    private static func policy(_ request: MemoryRequest) throws(MemoryRefusal) -> AssetPolicySetting {
        guard let policy = request.text("policy").map({ AssetPolicySetting.Policy(rawValue: $0) }),
            AssetPolicySetting.Policy.known.contains(policy)
        else { throw .invalid("policy", "one of never, on_demand, up_to and always is expected") }
        let size = request["up_to"]?.integer.flatMap { UInt64(exactly: $0) }
        guard (size != nil) == (policy == .upTo) else { throw .invalid("up_to", "it goes with up_to alone") }
        return AssetPolicySetting(policy: policy, upTo: size, isDefault: false)
    }

    private static func shown(_ asset: AssetDescriptor, at cursor: Cursor, _ zone: String) -> Asset {
        Asset(
            asset: asset.payload.text,
            zone: zone,
            record: cursor.record,
            field: cursor.field,
            item: cursor.item,
            size: asset.size,
            mediaType: asset.mediaType.isEmpty ? nil : asset.mediaType,
            name: asset.fileName.isEmpty ? nil : asset.fileName,
            modifiedAt: asset.modified.map { Date(milliseconds: $0) },
            state: .present,
            percent: 100,
            copies: AssetCopies(machines: 1)
        )
    }
}

/// The place of an asset in the order of a zone's assets.
private struct Cursor: Comparable {
    var record: String
    var field: String
    var item: Int?

    init(_ record: String, _ field: String, _ item: Int?) {
        (self.record, self.field, self.item) = (record, field, item)
    }

    init(_ asset: Asset) { self.init(asset.record, asset.field, asset.item) }

    /// Reads a text; `nil` for one that is no cursor.
    init?(_ text: String) {
        guard let bytes = Base32.decode(text) else { return nil }
        var reader = WireReader(bytes)
        do {
            record = try reader.readString(maximum: Limits.nameByteCountMax)
            field = try reader.readString(maximum: Limits.nameByteCountMax)
            let number = try reader.readVarint()
            item = number == 0 ? nil : Int(clamping: number - 1)
            try reader.finish()
        } catch {
            // The answer gives no further reason.
            return nil
        }
    }

    /// The cursor for a request.
    var text: String {
        var writer = WireWriter(capacity: 64)
        writer.writeString(record)
        writer.writeString(field)
        writer.writeVarint(item.map { UInt64($0) + 1 } ?? 0)
        return Base32.encode(writer.bytes)
    }

    private var order: (BytewiseString, BytewiseString, Int) {
        (BytewiseString(record), BytewiseString(field), item ?? -1)
    }

    static func < (left: Cursor, right: Cursor) -> Bool { left.order < right.order }
    static func == (left: Cursor, right: Cursor) -> Bool { left.order == right.order }
}
