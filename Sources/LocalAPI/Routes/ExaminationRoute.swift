import Hummingbird
import KairanInterface
import NIOCore
import Node

/// The doctor's checks as they are made: a line before each step, and a last one with the outcome.
struct ExaminationRoute: Sendable {
    let health: any HealthAPI

    /// Begins the answer at once; an examination that fails breaks the connection, and the reader misses the last line.
    func response(_ context: LocalRequestContext) -> Response {
        .stream("application/x-ndjson", for: context) { [health] writer in
            let (steps, continuation) = AsyncStream.makeStream(of: CheckProgress.self)
            async let outcome = Self.outcome(of: health, context, noting: continuation)
            var count = 0
            for await step in steps {
                count = step.count
                try await writer.write(Self.line(JSONValue(encoding: step)))
            }
            let checks = try await outcome.json
            let end: JSONValue = [
                "running": .array([]), "done": .integer(Int64(count)), "count": .integer(Int64(count)),
                "checks": checks,
            ]
            try await writer.write(Self.line(end))
            try await writer.finish(nil)
        }
    }

    private static func outcome(
        of health: any HealthAPI,
        _ context: LocalRequestContext,
        noting steps: AsyncStream<CheckProgress>.Continuation
    ) async throws -> [CheckOutcome] {
        // The end of the steps: also when the reader has left and nothing more is examined.
        defer { steps.finish() }
        return try await context.whileWanted { try await health.examine { steps.yield($0) } }
    }

    private static func line(_ json: JSONValue) -> ByteBuffer {
        ByteBuffer(bytes: json.encoded + [UInt8(ascii: "\n")])
    }
}
