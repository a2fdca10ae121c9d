import KairanClient
import KairanInterface
import Wire

extension MemoryCore {
    // MARK: Reading

    func record(_ name: String, in place: Int) throws(MemoryRefusal) -> MemoryRecord {
        guard let record = zones[place].records[BytewiseString(name)] else { throw .recordUnknown(name) }
        guard !record.isDeleted else { throw .recordDeleted(record) }
        return record
    }

    /// The records of a zone that are there, in the order of their names.
    func records(in place: Int) -> [MemoryRecord] {
        zones[place].records.filter { !$0.value.isDeleted }.sorted { $0.key < $1.key }.map(\.value)
    }

    func page(_ request: MemoryRequest) throws(MemoryRefusal) -> RecordPage {
        let limit = try request.limit(default: 200)
        let place = try zone(request.names[0])
        let behind = request.query["after"].map { BytewiseString($0) }
        let rest = records(in: place).filter { record in behind.map { $0 < BytewiseString(record.name) } ?? true }
        let shown = rest.prefix(limit)
        let next = rest.count > limit ? shown.last?.name : nil
        return RecordPage(records: shown.map { $0.shown(with: Self.keys(request)) }, next: next)
    }

    func fetch(_ request: MemoryRequest) throws(MemoryRefusal) -> [String: [MemoryOutcome]] {
        let names = request["names"]?.elements?.compactMap(\.text) ?? []
        guard (1...1_000).contains(names.count) else { throw .invalid("names", "1 to 1000 names are expected") }
        let place = try zone(request.names[0])
        let keys = Self.keys(request)
        var results: [MemoryOutcome] = []
        for name in names {
            do throws(MemoryRefusal) {
                results.append(.saved(try record(name, in: place).shown(with: keys)))
            } catch {
                results.append(.refused(error))
            }
        }
        return ["results": results]
    }

    // MARK: Writing

    mutating func writeOne(
        _ request: MemoryRequest,
        at now: Int64,
        using generator: inout some RandomNumberGenerator
    ) throws(MemoryRefusal) -> Record {
        let name = request.names[1]
        var body: JSONValue = request.body ?? ["delete": true]
        if request.body == nil, let version = request.query["if_version"] {
            body = ["delete": true, "if_version": .string(version)]
        }
        let write = try MemoryWrite(body, name: name, sizes: contentSizes)
        try write.check()
        makeDefaultZone(namedBy: request.names[0], using: &generator)
        let place = try zone(request.names[0])
        do throws(MemoryRefusal) {
            return try perform(write, in: place, after: position, at: now).shown
        } catch {
            throw told(error, of: write, in: place, sent: request.body).adding([JSONMember("index", 0)])
        }
    }

    mutating func batch(
        _ request: MemoryRequest,
        at now: Int64,
        using generator: inout some RandomNumberGenerator
    ) throws(MemoryRefusal) -> MemoryBatch {
        let sent = request["writes"]?.elements ?? []
        let isAtomic = request["atomic"] != false
        let limit = isAtomic ? Self.atomicWriteCountMax : Self.writeCountMax
        guard !sent.isEmpty else { throw .invalid("writes", "at least one write is expected") }
        guard sent.count <= limit else { throw .batchTooLarge(limit) }
        var writes: [MemoryWrite] = []
        let sizes = contentSizes
        for (index, json) in sent.enumerated() {
            writes.append(try MemoryWrite(json, at: "writes[\(index)]", sizes: sizes))
        }
        if isAtomic { for write in writes { try write.check() } }
        let isAnyWrite = writes.contains { write in
            do throws(MemoryRefusal) {
                try write.check()
                return true
            } catch {
                return false
            }
        }
        if isAnyWrite { makeDefaultZone(namedBy: request.names[0], using: &generator) }
        let place = try zone(request.names[0])
        let before = self
        let start = position
        var outcomes: [Result<Record, MemoryRefusal>] = []
        for (index, write) in writes.enumerated() {
            do throws(MemoryRefusal) {
                try write.check()
                outcomes.append(.success(try perform(write, in: place, after: start, at: now).shown))
            } catch {
                if isAtomic {
                    self = before
                    throw told(error, of: write, in: place, sent: sent[index]).adding([
                        JSONMember("index", .integer(Int64(index))),
                        JSONMember("results", Self.refused(writes, because: index, error.code)),
                    ])
                }
                outcomes.append(.failure(error))
            }
        }
        let results = outcomes.enumerated().map { index, outcome in
            switch outcome {
            case .success(let record): MemoryOutcome.saved(record)
            case .failure(let refusal):
                MemoryOutcome.refused(told(refusal, of: writes[index], in: place, sent: sent[index]))
            }
        }
        let savedCount = outcomes.count { if case .success = $0 { true } else { false } }
        return MemoryBatch(saved: savedCount, failed: results.count - savedCount, results: results)
    }

    /// Returns the refusal of a write with the state of the record after the whole request.
    private func told(
        _ refusal: MemoryRefusal,
        of write: MemoryWrite,
        in place: Int,
        sent: JSONValue? = nil
    ) -> MemoryRefusal {
        let record = zones[place].records[BytewiseString(write.name)]
        switch refusal.code {
        case "record.version_mismatch":
            let ancestor = write.ifVersion.flatMap { MemoryRecord.position($0) }.flatMap { zones[place].states[$0] }
            let known = ancestor.flatMap { $0.name.isSameName(as: write.name) ? $0 : nil }
            let current = record.flatMap { $0.isDeleted ? nil : $0 }
            let told = MemoryRefusal.changed(write.name, current: current, ancestor: known)
            return sent.map { told.adding([JSONMember("sent", $0)]) } ?? told
        case "record.unknown":
            guard let record, record.isDeleted else { return refusal }
            return .recordDeleted(record)
        default: return refusal
        }
    }

    /// Returns the outcome of each write of a batch that was refused as a whole.
    private static func refused(_ writes: [MemoryWrite], because index: Int, _ code: String) -> JSONValue {
        .array(
            writes.enumerated().map { place, write in
                ["name": .string(write.name), "code": .string(place == index ? code : "batch.refused")]
            }
        )
    }

    private mutating func perform(
        _ write: MemoryWrite,
        in place: Int,
        after start: UInt64,
        at now: Int64
    ) throws(MemoryRefusal) -> MemoryRecord {
        let key = BytewiseString(write.name)
        let before = zones[place].records[key]
        let record = try write.applied(
            to: before,
            as: MemoryRecord(
                zone: zones[place].id,
                name: write.name,
                type: "",
                position: position + 1,
                feedPosition: before.flatMap { $0.position > start ? $0.feedPosition : nil } ?? position + 1,
                device: device.text,
                modifiedMilliseconds: now
            )
        )
        try checkAssets(of: record, in: place)
        position += 1
        zones[place].records[key] = record
        zones[place].states[position] = record
        return record
    }
}

/// As `BatchOutcome`, with problem documents that keep all of their members.
struct MemoryBatch: Encodable {
    var saved: Int
    var failed: Int
    var results: [MemoryOutcome]
}

/// The outcome of one write, or of the search for one record.
enum MemoryOutcome: Encodable {
    case saved(Record)
    case refused(MemoryRefusal)

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .saved(let record): try record.encode(to: encoder)
        case .refused(let refusal): try refusal.json().encode(to: encoder)
        }
    }
}
