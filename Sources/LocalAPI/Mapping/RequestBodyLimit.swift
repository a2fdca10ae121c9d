/// The maximum sizes of bodies in bytes.
enum RequestBodyLimit {
    /// Most requests: names and options.
    static let small = 64 << 10
    /// One record: 1 MiB as base64 is 1.4 MiB; text with many escapes may need more, and then goes by import.
    static let record = 2 << 20
    /// 16 KiB of text in which every byte may be escaped, and the recipients.
    static let message = 256 << 10
    /// 1,000 names of 255 bytes, in which every byte may be escaped.
    static let fetch = 2 << 20
    /// A batch.
    static let batch = 16 << 20
}
