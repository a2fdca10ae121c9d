import Dispatch
import Glibc

@testable import LocalAPI

/// A connection over which a test sends exactly the bytes that it wants, right or wrong.
final class RawConnection: Sendable {
    private let descriptor: CInt
    private let queue = DispatchQueue(label: "raw")

    init(path: String) throws {
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw SocketError.system("connect", errno) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }

    /// Sends as much as the socket takes at once.
    /// - Parameter bytes: The bytes to send.
    /// - Returns: The number of bytes sent; 0 while the other side reads nothing.
    func sendWhatFits(_ bytes: ArraySlice<UInt8>) -> Int {
        max(
            0,
            bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
        )
    }

    /// Ends the sending direction.
    func shutDownWriting() {
        shutdown(descriptor, CInt(SHUT_WR))
    }

    /// Reads until a text has arrived, or enough, or the connection ends.
    func receive(until text: String, atMost byteCount: Int = .max) async -> String {
        await withCheckedContinuation { continuation in
            queue.async { [descriptor] in
                var received = ""
                var buffer = [UInt8](repeating: 0, count: 65_536)
                while received.utf8.count < byteCount, !received.contains(text) {
                    let count = recv(descriptor, &buffer, buffer.count, 0)
                    guard count > 0 else { break }
                    received += String(decoding: buffer.prefix(count), as: UTF8.self)
                }
                continuation.resume(returning: received)
            }
        }
    }
}
