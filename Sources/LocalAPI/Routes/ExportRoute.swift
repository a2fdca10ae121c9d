import Hummingbird
import KairanInterface
import NIOCore
import Node

/// All records of a zone, page by page, as lines.
struct ExportRoute: Sendable {
    /// The number of records held in memory at once.
    static let pageCount = 500

    let records: any RecordAPI
    let zone: String
    /// Whether records that daemons write by themselves are in it.
    let showsInternal: Bool

    /// Begins the answer with the first page, so that an error there has a status of its own; an error later breaks
    /// the connection, and the reader sees that the export is not complete.
    func response(_ context: LocalRequestContext) async throws -> Response {
        let first = try await page(after: nil)
        let export = self
        return .stream("application/x-ndjson", for: context) { writer in
            var page = first
            while true {
                if !page.records.isEmpty { try await writer.write(Self.lines(page.records)) }
                try await context.taken()
                guard let next = page.next else { return try await writer.finish(nil) }
                page = try await export.page(after: next)
            }
        }
    }

    private func page(after name: String?) async throws -> RecordViewPage {
        try await records.list(zone: zone, after: name, limit: Self.pageCount, showsInternal: showsInternal)
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
