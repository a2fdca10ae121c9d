extension UInt64 {
    /// Reads decimal digits that this program wrote.
    init(text bytes: [UInt8]) throws {
        guard let value = UInt64(String(decoding: bytes, as: UTF8.self)) else {
            throw StorageError(code: .corrupt, message: "a stored number is damaged")
        }
        self = value
    }
}
