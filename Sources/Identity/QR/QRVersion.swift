/// The sizes of QR code that are drawn here: versions 1 to 6 at error correction level M.
///
/// Level M repairs about 15 % of wrong symbols, enough for a photographed terminal. Larger versions would need the
/// version blocks of ISO/IEC 18004 §7.10 and no longer fit an 80 × 24 terminal beside an explanation.
/// Source of the numbers: ISO/IEC 18004:2015, tables 1, 7, 9 and annex E.
struct QRVersion: Equatable {
    /// The version number, 1...6.
    let number: Int
    /// How many eight-bit symbols carry data.
    let dataByteCount: Int
    /// How many eight-bit symbols repair each block.
    let repairByteCountPerBlock: Int
    /// Into how many equal blocks the data is split.
    let blockCount: Int
    /// The centre of the one alignment pattern that no finder pattern covers; nil in version 1.
    let alignmentCentre: Int?

    /// All versions drawn here, ascending.
    static let all = [
        QRVersion(number: 1, dataByteCount: 16, repairByteCountPerBlock: 10, blockCount: 1, alignmentCentre: nil),
        QRVersion(number: 2, dataByteCount: 28, repairByteCountPerBlock: 16, blockCount: 1, alignmentCentre: 18),
        QRVersion(number: 3, dataByteCount: 44, repairByteCountPerBlock: 26, blockCount: 1, alignmentCentre: 22),
        QRVersion(number: 4, dataByteCount: 64, repairByteCountPerBlock: 18, blockCount: 2, alignmentCentre: 26),
        QRVersion(number: 5, dataByteCount: 86, repairByteCountPerBlock: 24, blockCount: 2, alignmentCentre: 30),
        QRVersion(number: 6, dataByteCount: 108, repairByteCountPerBlock: 16, blockCount: 4, alignmentCentre: 34),
    ]

    /// Modules along one side, without the quiet zone.
    var size: Int { 17 + 4 * number }

    /// Data symbols in one block.
    var dataByteCountPerBlock: Int { dataByteCount / blockCount }
}
