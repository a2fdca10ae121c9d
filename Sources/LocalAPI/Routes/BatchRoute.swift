import Hummingbird
import KairanInterface
import Node

/// Several writes in one request.
struct BatchRoute: Sendable {
    /// The most writes that are not atomic; the node bounds atomic ones itself.
    static let writeCountMax = 10_000

    let records: any RecordAPI
    let zone: String

    func respond(to request: Request) async throws -> Response {
        let body = try await RequestObject(
            JSONBody.read(request, limit: RequestBodyLimit.batch),
            allowing: ["atomic", "writes"]
        )
        let isAtomic = try body.flag("atomic", default: true)
        let writes = try body.elements("writes")
        guard writes.count <= Self.writeCountMax else {
            throw NodeError(
                .batchTooLarge,
                "The batch has \(writes.count) writes; at most \(Self.writeCountMax) are allowed.",
                fix: "Send several batches, or use import.",
                facts: [.limit(Self.writeCountMax)]
            )
        }
        var drafts: [RecordDraft] = []
        drafts.reserveCapacity(writes.count)
        for (index, write) in writes.enumerated() {
            drafts.append(try RecordDraft(interfaceJSON: write, at: "writes[\(index)]"))
        }
        let results: [Result<RecordView, NodeError>]
        do {
            results = try await records.write(drafts, zone: zone, atomic: isAtomic)
        } catch {
            return Self.refusal(error, of: drafts, sent: writes).response
        }
        let documents = zip(results, writes).map { result, sent in
            guard case .failure(let error) = result, error.code == .versionMismatch else { return result.json }
            return ProblemDocument(error).adding("sent", sent).json
        }
        let saved = results.count { if case .success = $0 { true } else { false } }
        return .json([
            "saved": .integer(Int64(saved)), "failed": .integer(Int64(results.count - saved)),
            "results": .array(documents),
        ])
    }

    /// The answer to a batch of which nothing was written: why, and by which of its writes.
    private static func refusal(_ error: NodeError, of drafts: [RecordDraft], sent: [JSONValue]) -> ProblemDocument {
        let document = ProblemDocument(error)
        guard let index = error.index, drafts.indices.contains(index) else {
            return document
        }
        let results = drafts.enumerated().map { place, draft -> JSONValue in
            let code = place == index ? error.code : .batchRefused
            return ["name": .string(draft.name), "code": .string(code.rawValue)]
        }
        let told = document.adding("results", .array(results))
        return error.code == .versionMismatch ? told.adding("sent", sent[index]) : told
    }
}
