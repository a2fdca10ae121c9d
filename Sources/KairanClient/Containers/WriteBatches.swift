/// Cuts writes into pieces that one request takes: by their number and by the length of their text.
struct WriteBatches: Sequence, IteratorProtocol {
    /// Below the limits of the interface (10,000 writes, 16 MiB), so that an answer does not take long.
    static let writeCountMax = 1000
    static let byteCountMax = 4 << 20

    private var rest: ArraySlice<RecordWrite>
    private let writeCountMax: Int

    init(_ writes: [RecordWrite], writeCountMax: Int = Self.writeCountMax) {
        self.rest = writes[...]
        self.writeCountMax = writeCountMax
    }

    /// The next piece; a write that is too long even alone is a piece of its own.
    mutating func next() -> [RecordWrite]? {
        var count = 0
        var bytes = 0
        for write in rest.prefix(writeCountMax) {
            bytes += write.json.encoded.count
            if count > 0, bytes > Self.byteCountMax { break }
            count += 1
        }
        guard count > 0 else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}
