extension DaemonClient {
    /// Writes in one request that is not atomic.
    static let writeCountMax = 1_000
    /// Bytes of the writes in one request that is not atomic; one that is larger goes alone.
    static let writeByteCountMax = 4 << 20
    /// Names in one request.
    static let nameCountMax = 1_000

    /// Fetches any number of records by name.
    /// - Parameters:
    ///   - names: The names; the answer repeats a record whose name occurs twice.
    ///   - zone: The zone.
    ///   - keys: The fields to fetch; `nil` for all.
    /// - Returns: For each name, in order, the record or the reason why it is missing.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func fetch(
        _ names: [String],
        in zone: String,
        keys: [String]? = nil
    ) async throws -> [BatchOutcome.Outcome] {
        struct Answer: Decodable { var results: [BatchOutcome.Outcome] }
        var results: [BatchOutcome.Outcome] = []
        var rest = names[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(Self.nameCountMax))
            let answer = try await value(.fetch(part, zone: zone, keys: keys), as: Answer.self)
            // Records that did not fit into the answer come first in the next request.
            let told = answer.results.prefix { $0.problemCode != "answer.too_large" }
            guard !told.isEmpty else { throw KairanError.unexpectedAnswer("it has none of the records") }
            results += told
            rest = rest.dropFirst(told.count)
        }
        return results
    }

    /// Makes several independent writes, in as many requests as they need.
    /// - Parameters:
    ///   - writes: Any number of writes; each sees the effects of the earlier ones.
    ///   - zone: The zone to write to.
    /// - Returns: The outcome of each write, in order.
    /// - Throws: ``KairanError``, `CancellationError`; the writes of earlier requests stay.
    public func saveEach(_ writes: [RecordWrite], in zone: String) async throws -> BatchOutcome {
        var outcome = BatchOutcome(saved: 0, failed: 0, results: [])
        for part in Self.parts(of: writes.map(\.json)) {
            let answer: BatchOutcome = try await value(.batch(part, zone: zone, isAtomic: false))
            outcome.saved += answer.saved
            outcome.failed += answer.failed
            outcome.results += answer.results
        }
        return outcome
    }

    /// Divides writes into requests, in order.
    static func parts(of writes: [JSONValue]) -> [[JSONValue]] {
        var parts: [[JSONValue]] = []
        var byteCount = 0
        for write in writes {
            let size = write.encoded.count
            if parts.isEmpty || parts[parts.count - 1].count == writeCountMax || byteCount + size > writeByteCountMax {
                parts.append([])
                byteCount = 0
            }
            parts[parts.count - 1].append(write)
            byteCount += size
        }
        return parts
    }
}

extension BatchOutcome.Outcome {
    /// The code of the problem, if it is one.
    fileprivate var problemCode: String? {
        guard case .refused(let problem) = self else { return nil }
        return problem.code
    }
}
