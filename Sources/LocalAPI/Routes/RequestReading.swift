import KairanClient
import NIOCore
import Node
import ServiceLifecycle
import Wire

extension LocalRequestContext {
    /// Runs work that may take long and is worth nothing once its caller has left or the daemon stops: then it is
    /// cancelled.
    ///
    /// The connection itself is watched, not what is read from it: the framework's own way to do that traps when the
    /// request's body was not read to its end.
    /// - Throws: What the work throws; `notReady` when the daemon stops.
    func whileWanted<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let (presence, continuation) = AsyncStream.makeStream(of: Void.self)
        channel.closeFuture.whenComplete { _ in continuation.finish() }
        do {
            return try await withThrowingTaskGroup(of: Value.self) { group in
                group.addTask { try await cancelWhenGracefulShutdown(work) }
                group.addTask {
                    for await _ in presence {}
                    throw CancellationError()
                }
                defer { group.cancelAll() }
                guard let value = try await group.next() else { throw CancellationError() }
                return value
            }
        } catch where Task.isShuttingDownGracefully {
            throw NodeError(.notReady, "The daemon is stopping.", fix: "Try again when it runs.")
        }
    }
}

extension LocalRequestContext {
    /// The device of the path.
    func device() throws(NodeError) -> DeviceID {
        let text = try segment("device")
        guard let device = DeviceID(text: text) else {
            throw .invalid("device", "the id of a device is expected: 52 characters, as in the list of devices")
        }
        return device
    }
}

extension RequestObject {
    /// What later devices may read of a new zone.
    func history() throws(NodeError) -> ZoneHistory {
        switch try text("history") {
        case nil, "full": return .full
        case "fromJoin": return .fromJoin
        case .some: throw .invalid(place("history"), "full or fromJoin is expected")
        }
    }
}

extension ConflictResolution {
    /// Reads how a conflict is to end: `{"take": VERSION}` or `{"fields": {…}}`.
    init(interfaceJSON json: JSONValue) throws(NodeError) {
        let object = try RequestObject(json, allowing: ["take", "fields"])
        switch (try object.text("take"), object["fields"]) {
        case (let version?, nil): self = .take(version: version)
        case (nil, let fields?): self = .fields(try RecordChange.fields(fields, at: "fields"))
        default: throw .invalid("", "either take or fields is expected")
        }
    }
}
