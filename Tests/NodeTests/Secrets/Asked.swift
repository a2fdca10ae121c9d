import Glibc
import Synchronization

@testable import Node

/// The requests that a source of secrets received.
final class Asked: Sendable {
    private let stored = Mutex<[StateSeal.Request]>([])

    var requests: [StateSeal.Request] { stored.withLock { $0 } }

    func note(_ request: StateSeal.Request) { stored.withLock { $0.append(request) } }
}

/// A file that stays open even if its name is removed or replaced.
final class OpenFile {
    private let descriptor: Int32

    init(_ path: String) throws(PrivateFile.Failure) {
        descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { throw PrivateFile.Failure(path: path, operation: "open", errorNumber: errno) }
    }

    deinit { close(descriptor) }

    func bytes() -> [UInt8] {
        var bytes = [UInt8](repeating: 1, count: 4_096)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }
}
