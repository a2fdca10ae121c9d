import Hummingbird
import KairanInterface
import NIOCore
import Node
import ServiceLifecycle

/// Saves lines of JSON as they arrive and reports the progress after every durable portion.
///
/// Two tasks share the work: one reads and parses, one writes to the node and answers. A portion is the input that
/// arrived while the portion before was being written, at most ``lineCountMax`` lines or ``byteCountMax`` bytes: a
/// slow sender has each line confirmed at once, a fast one gets few and large transactions.
struct ImportSession: Sendable {
    /// The most lines of one portion.
    static let lineCountMax = 512
    /// The most bytes of one portion, unless one line has more.
    static let byteCountMax = 1 << 20
    /// The most bytes of one line: a record of 1 MiB as base64, and room around it.
    static let lineByteCountMax = RequestBodyLimit.record

    private struct Line: Sendable {
        var number: Int
        var draft: Result<RecordDraft, LineError>
    }

    /// Why a line cannot be handed to the node.
    struct LineError: Error {
        var number: Int
        var document: ProblemDocument
    }

    let records: any RecordAPI
    let zone: String
    let body: RequestBody

    /// Works until the body ends, the node cannot go on, or the daemon stops.
    /// - Throws: When the connection is gone, `CancellationError`.
    @concurrent
    func run(writer: inout any ResponseBodyWriter) async throws {
        let queue = Handoff<Line>(capacity: 2 * Self.byteCountMax)
        let body = body
        try await withThrowingTaskGroup(of: ProblemDocument?.self) { group in
            group.addTask {
                defer { queue.finish() }
                return try await Self.read(body, into: queue)
            }
            // The answer is complete before the reading task is cancelled: cancelling closes the connection.
            defer {
                queue.close()
                group.cancelAll()
            }
            var progress = Progress()
            do {
                try await write(from: queue, progress: &progress, writer: &writer)
                let early = try await group.next() ?? nil
                try await progress.report(isFinal: early == nil, problem: early, to: &writer)
            } catch let error as ProblemError {
                try await progress.report(isFinal: false, problem: error.document, to: &writer)
            }
            try await writer.finish(nil)
        }
    }

    private struct ProblemError: Error {
        var document: ProblemDocument
    }

    /// Reads lines into the queue.
    /// - Returns: Why reading ended before the end of the body; `nil` at its end.
    private static func read(_ body: RequestBody, into queue: Handoff<Line>) async throws -> ProblemDocument? {
        var splitter = LineSplitter(lineByteCountMax: lineByteCountMax)
        var number = 0
        for try await part in body.cancelOnGracefulShutdown() {
            do {
                try splitter.append(part.readableBytesView)
            } catch {
                return ProblemDocument(.lineTooLarge(byteCountMax: lineByteCountMax, number: number + 1))
            }
            guard await queue.push(lines(from: &splitter, number: &number)) else { return nil }
        }
        if Task.isShuttingDownGracefully {
            return ProblemDocument(
                NodeError(.notReady, "The daemon is stopping.", fix: "Import the lines after the counted ones again.")
            )
        }
        splitter.finish()
        _ = await queue.push(lines(from: &splitter, number: &number))
        return nil
    }

    private static func lines(
        from splitter: inout LineSplitter,
        number: inout Int
    ) -> [(element: Line, weight: Int)] {
        var lines: [(element: Line, weight: Int)] = []
        while let bytes = splitter.next() {
            number += 1
            let isBlank = bytes.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            if !isBlank { lines.append((Line(number: number, draft: draft(bytes, line: number)), bytes.count)) }
        }
        return lines
    }

    private static func draft(_ bytes: [UInt8], line: Int) -> Result<RecordDraft, LineError> {
        do {
            let json = try JSONBody.parse(bytes)
            return .success(try RecordDraft(interfaceJSON: json, ignoring: ["version"]))
        } catch {
            let document = ProblemDocument(known: error) ?? .internalError
            return .failure(LineError(number: line, document: document))
        }
    }

    @concurrent
    private func write(
        from queue: Handoff<Line>,
        progress: inout Progress,
        writer: inout any ResponseBodyWriter
    ) async throws {
        while true {
            let lines = await queue.take(count: Self.lineCountMax, weight: Self.byteCountMax)
            guard !lines.isEmpty else { return }
            try await save(lines, progress: &progress)
            try await progress.report(isFinal: false, problem: nil, to: &writer)
            if let problem = progress.obstacle { throw ProblemError(document: problem) }
        }
    }

    private func save(_ lines: [Line], progress: inout Progress) async throws {
        var numbers: [Int] = []
        var drafts: [RecordDraft] = []
        for line in lines {
            switch line.draft {
            case .success(let draft):
                numbers.append(line.number)
                drafts.append(draft)
            case .failure(let error): progress.add(line: error.number, error.document)
            }
        }
        guard !drafts.isEmpty else { return }
        do {
            for (number, result) in zip(numbers, try await records.write(drafts, zone: zone, atomic: false)) {
                switch result {
                case .success: progress.saved += 1
                case .failure(let error): progress.add(line: number, ProblemDocument(error))
                }
            }
        } catch {
            throw ProblemError(document: ProblemDocument(error))
        }
    }

    /// The counts so far.
    private struct Progress {
        var saved = 0
        var failed = 0
        /// The reason to stop: the next lines would fail like this one.
        var obstacle: ProblemDocument?
        private var errors: [ImportFailure] = []

        mutating func add(line: Int, _ document: ProblemDocument) {
            failed += 1
            errors.append(ImportFailure(line: line, code: document.code, detail: document.message))
            if document.isRetryable { obstacle = document }
        }

        @concurrent
        mutating func report(
            isFinal: Bool,
            problem: ProblemDocument?,
            to writer: inout any ResponseBodyWriter
        ) async throws {
            let progress = ImportProgress(saved: saved, failed: failed, errors: errors, isFinal: isFinal)
            var members = try JSONValue(encoding: progress).members ?? []
            if let problem { members.append(JSONMember("problem", problem.json)) }
            errors = []
            var line = ByteBuffer(bytes: JSONValue.object(members).encoded)
            line.writeInteger(UInt8(ascii: "\n"))
            try await writer.write(line)
        }
    }
}
