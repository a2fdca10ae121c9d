import Wire

/// An operation with a known encoding.
enum GoldenOperations {
    /// A header with a field of every kind filled in.
    static let header = OperationHeader(
        counter: 300,
        tag: Layout.id(0x01),
        vector: [Layout.id(0x03): 300],
        creation: Dot(actor: Layout.id(0x03), counter: 2),
        controlHeads: Layout.id(0x04),
        epoch: .zero,
        time: HybridTime(raw: 0x0102_0304_0506_0708),
        batch: BatchPlace(index: 1, count: 3),
        bodyHash: Layout.id(0x05)
    )

    /// Tag, creation dot and batch place.
    static let placeHex = Layout.fill(1) + Layout.fill(3) + "02" + "01 03"
    /// Counter, vector, control heads, epoch, time and body hash.
    static let restHex =
        "ac02" + "01" + Layout.fill(3) + "ac02" + Layout.fill(4) + Layout.fill(0) + "0102030405060708"
        + Layout.fill(5)

    /// A header's encoding.
    static let headerHex = "01" + placeHex + restHex
}
