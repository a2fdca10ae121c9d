import HTTPTypes
import Hummingbird
import KairanClient
import NIOCore
import Node

/// Several writes in one request.
struct BatchRoute: Sendable {
    /// The most writes that are not atomic; the node bounds atomic ones itself.
    static let writeCountMax = 10_000

    let node: any NodeAPI
    let zone: String

    func respond(to request: Request) async throws -> Response {
        let body = try await RequestObject(
            JSONBody.read(request, limit: RequestBodyLimit.batch),
            allowing: ["atomic", "writes"]
        )
        let isAtomic = try body.flag("atomic", default: true)
        guard let writes = try body.required("writes").elements else {
            throw NodeError.invalid("writes", "an array is expected")
        }
        guard !writes.isEmpty else { throw NodeError.invalid("writes", "at least one write is expected") }
        guard writes.count <= Self.writeCountMax else {
            throw NodeError(
                .batchTooLarge,
                "The batch has \(writes.count) writes; at most \(Self.writeCountMax) are allowed.",
                fix: "Send several batches, or use import.",
                details: ["limit": "\(Self.writeCountMax)"]
            )
        }
        var changes: [RecordChange] = []
        changes.reserveCapacity(writes.count)
        for (index, write) in writes.enumerated() {
            changes.append(try RecordChange(interfaceJSON: write, at: "writes[\(index)]"))
        }
        let results = try await node.write(changes, zone: zone, atomic: isAtomic)
        let documents = results.map { result in
            switch result {
            case .success(let record): record.json
            case .failure(let error): ProblemDocument(error).json
            }
        }
        let saved = results.count { if case .success = $0 { true } else { false } }
        return .json([
            "saved": .integer(Int64(saved)), "failed": .integer(Int64(results.count - saved)),
            "results": .array(documents),
        ])
    }
}

/// All records of a zone, page by page, as lines.
struct ExportRoute: Sendable {
    /// How many records are held in memory at once.
    static let pageCount = 500

    let node: any NodeAPI
    let zone: String

    /// Begins the answer with the first page, so that an error there has a status of its own; an error later breaks
    /// the connection, and the reader sees that the export is not complete.
    func response() async throws -> Response {
        let first = try await node.records(zone: zone, after: nil, limit: Self.pageCount)
        let node = node
        let zone = zone
        return .stream("application/x-ndjson") { writer in
            var page = first
            while true {
                try await writer.write(Self.lines(page.records))
                guard let next = page.next else { return }
                page = try await node.records(zone: zone, after: next, limit: Self.pageCount)
            }
        }
    }

    private static func lines(_ records: [RecordView]) -> ByteBuffer {
        var bytes: [UInt8] = []
        for record in records {
            record.exportJSON.write(into: &bytes)
            bytes.append(UInt8(ascii: "\n"))
        }
        return ByteBuffer(bytes: bytes)
    }
}

extension Response {
    /// An answer that is written while it comes into being.
    static func stream(
        _ mediaType: String,
        _ write: @escaping @concurrent @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: mediaType, .cacheControl: "no-store"],
            body: ResponseBody { writer in
                try await write(&writer)
                try await writer.finish(nil)
            }
        )
    }
}

extension NodeAPI {
    /// One write on its own.
    func writeOne(_ change: RecordChange, zone: String) async throws(NodeError) -> RecordView {
        guard let result = try await write([change], zone: zone, atomic: true).first else {
            throw NodeError(.internalError, "A write had no result.", fix: "Report this together with the log.")
        }
        return try result.get()
    }
}
