/// Why a text cannot be drawn as a QR code.
package enum QRCodeError: Error, Equatable, Sendable {
    /// The text needs more data bits than the largest version drawn here has room for.
    case tooLong(bitCount: Int, maximum: Int)
}
