import Dispatch
import FoundationEssentials
import Glibc

/// A file that is downloaded: written under another name beside its own, which it gets when it is complete.
///
/// Until then an earlier file of this name stays. Writing may block for as long as the disk takes, so it is done on a
/// thread of its own.
struct TargetFile: Sendable {
    private let path: String
    private let partPath: String
    private let descriptor: Descriptor
    private let queue = DispatchQueue(label: "kairan.download")

    /// Begins a file.
    /// - Parameter fileURL: The final place.
    /// - Throws: ``KairanError`` with the code `file.unwritable`.
    init(_ fileURL: URL) throws(KairanError) {
        path = fileURL.path(percentEncoded: false)
        var status = stat()
        // The renaming would fail once all of the content was written, or replace a device.
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw .unwritable(path, status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EEXIST)
        }
        // Two downloads to one place at the same time must not write into one file.
        partPath = path + "." + UUID().uuidString.prefix(8).lowercased() + ".part"
        let number = open(partPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard number >= 0 else { throw .unwritable(partPath, errno) }
        descriptor = Descriptor(number)
    }

    /// Adds bytes.
    /// - Throws: ``KairanError`` with the code `file.unwritable`.
    func write(_ bytes: Data) async throws {
        let (number, bytes) = (descriptor.number, Array(bytes))
        try await perform {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count == 0 || errno != EINTR {
                    throw KairanError.unwritable(path, count == 0 ? EIO : errno)
                }
            }
        }
    }

    /// Gives the file its name, once all of it is on the disk.
    /// - Throws: ``KairanError`` with the code `file.unwritable`.
    func finish() async throws {
        let number = descriptor.number
        try await perform {
            guard fsync(number) == 0, rename(partPath, path) == 0 else { throw KairanError.unwritable(path, errno) }
        }
    }

    /// Removes the part that was written.
    func abandon() {
        // A part that stays has a name that says so.
        unlink(partPath)
    }

    private func perform(_ work: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }
}
