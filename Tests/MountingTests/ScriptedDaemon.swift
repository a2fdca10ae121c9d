import KairanClient
import NIOCore
import NIOHTTP1
import Synchronization

@testable import Mounting

/// A transport whose answers about content a test decides.
final class ScriptedDaemon: DaemonTransport {
    /// The answer to a request for bytes.
    enum Answer: Sendable {
        /// All of these bytes of the content, whose id is the text.
        case bytes(of: String)
        /// So many of them, and then the connection ends.
        case broken(of: String, after: Int)
        /// A problem document with this code, and perhaps a state.
        case refused(Int, String, state: String? = nil)
        /// No daemon is there.
        case unreachable
        /// No answer before the reader leaves.
        case silence
    }

    /// A request for bytes.
    struct Request: Sendable, Hashable {
        var record: String
        var range: Range<UInt64>
    }

    /// The content of which all answers are.
    let content: [UInt8]
    private let requests = Mutex<[Request]>([])
    private let answer: @Sendable (Request, _ index: Int) -> Answer
    /// Called when the reader of a silent answer has left.
    private let left: @Sendable () -> Void

    init(
        _ content: [UInt8],
        left: @escaping @Sendable () -> Void = {},
        _ answer: @escaping @Sendable (Request, _ index: Int) -> Answer
    ) {
        (self.content, self.left, self.answer) = (content, left, answer)
    }

    /// The requests so far.
    var asked: [Request] { requests.withLock { $0 } }

    /// The client that uses it.
    var client: DaemonClient { DaemonClient(socketPath: "(a test)", transport: self) }

    func execute(_ request: SocketRequest) async throws -> SocketAnswer {
        let parts = request.target.split(separator: "?")[0].split(separator: "/").map(String.init)
        guard let header = request.headers.first(name: "range"), parts.count > 4 else {
            throw TransportFailure.unexpected(reason: "the test asks for nothing else: \(request.target)")
        }
        let ends = header.split(separator: "=")[1].split(separator: "-").compactMap { UInt64($0) }
        let asked = Request(record: parts[4], range: ends[0]..<ends[1] + 1)
        let index = requests.withLock { requests in
            requests.append(asked)
            return requests.count - 1
        }
        switch answer(asked, index) {
        case .bytes(let asset): return self.part(of: asset, asked.range, count: nil)
        case .broken(let asset, let count): return self.part(of: asset, asked.range, count: count)
        case .refused(let status, let code, let state):
            let problem: JSONValue = [
                "type": .string("t"), "title": .string("t"), "status": .integer(Int64(status)), "code": .string(code),
                "detail": .string("d"), "fix": .string("f"), "retryable": .bool(false),
                "state": state.map { .string($0) } ?? .null,
            ]
            return SocketAnswer(status: status, headers: [:], body: Self.body([problem.encoded], end: nil))
        case .unreachable: throw TransportFailure.unsent(reason: "the test has stopped it")
        case .silence:
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            continuation.onTermination = { [left] _ in left() }
            for await _ in stream {}
            throw CancellationError()
        }
    }

    private func part(of asset: String, _ range: Range<UInt64>, count: Int?) -> SocketAnswer {
        let bytes = content[Int(range.lowerBound)..<Int(range.upperBound)]
        let headers: HTTPHeaders = [
            "etag": "\"\(asset)\"", "content-length": "\(bytes.count)",
            "content-range": "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)",
        ]
        let end = count.map { _ in TransportFailure.broken(reason: "the test has broken it") }
        // In pieces of uneven sizes.
        var pieces: [[UInt8]] = []
        var rest = bytes.prefix(count ?? bytes.count)
        while !rest.isEmpty {
            pieces.append(Array(rest.prefix(777)))
            rest = rest.dropFirst(777)
        }
        return SocketAnswer(status: 206, headers: headers, body: Self.body(pieces, end: end))
    }

    private static func body(_ pieces: [[UInt8]], end: (any Error)?) -> AnswerBody {
        let (stream, continuation) = AsyncThrowingStream<ByteBuffer, any Error>.makeStream()
        for piece in pieces { continuation.yield(ByteBuffer(bytes: piece)) }
        continuation.finish(throwing: end)
        return AnswerBody(stream)
    }
}
