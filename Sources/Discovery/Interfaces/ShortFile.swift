internal import Glibc

/// A file of the kernel's, which is made while it is read.
enum ShortFile {
    /// The most bytes that are read: the routes of a machine with many.
    private static let byteCountMax = 1 << 20

    /// The text of a file; `nil` when it cannot be read.
    static func text(_ path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while text.count < byteCountMax {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            text += buffer.prefix(count)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
