import Glibc
package import Sync
import Synchronization

/// The right to use a state directory; given up when it is released or the process ends.
///
/// Two processes that write one database through two write-ahead logs would destroy it, and two that speak for one
/// device would fork its logs. `flock` is used because the kernel drops it with the process, however that ends; the
/// file itself stays, so that there is no moment in which two processes lock two files of the same name.
package final class DirectoryLock: Sendable {
    /// -1 once the lock was released.
    private let descriptor: Atomic<Int32>

    /// Takes the lock.
    /// - Parameter path: The lock file; made when it is missing.
    /// - Throws: `.locked` with the holder's pid when another process has it, else the error of the system.
    init(path: String) throws(StorageError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileSystem.failure("cannot open \(path)", errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            let holder = Self.holder(descriptor)
            close(descriptor)
            guard code == EWOULDBLOCK else { throw FileSystem.failure("cannot lock \(path)", code) }
            let who = holder.map { "by process \($0)" } ?? "by another process"
            throw StorageError(code: .locked, message: "\(path) is held \(who)")
        }
        // The pid is advice for people. When it cannot be written (the disk is full) the lock holds all the same.
        let text = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 {
            _ = pwrite(descriptor, text, text.count, 0)
        }
        self.descriptor = Atomic(descriptor)
    }

    /// Takes the lock of a state directory that is there.
    /// - Parameter directory: The state directory.
    /// - Throws: `.locked` with the holder's pid when another process has it, else the error of the system.
    package convenience init(_ directory: StateDirectory) throws(StorageError) {
        try self.init(path: directory.lockPath)
    }

    deinit {
        release()
    }

    /// Gives the lock up; releasing again does nothing.
    package func release() {
        let descriptor = descriptor.exchange(-1, ordering: .relaxed)
        guard descriptor >= 0 else { return }
        // Closing is not enough while a process that is just being spawned has a copy of the descriptor.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// The pid that the holder wrote; `nil` when there is none that can be read.
    private static func holder(_ descriptor: Int32) -> Int? {
        var buffer = [UInt8](repeating: 0, count: 20)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        let digits = buffer.prefix(count).prefix { (0x30...0x39).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self))
    }
}
