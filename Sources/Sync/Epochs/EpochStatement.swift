import Records
import Wire

/// A control operation that tells of the epochs of a zone's key, decoded.
struct EpochStatement: Sendable {
    /// The kinds of such operations.
    enum Content: Sendable {
        /// It begins an epoch, which its hash names.
        case begins(KeyEpoch)
        /// It hands over a key.
        case delivers(KeyDelivery)
        /// It repeats the operation that begins an epoch.
        case repeats(OperationHeader, KeyEpoch)
        /// Its author lacks the keys of these epochs.
        case requests([Hash])
    }

    /// The operation.
    let operation: Operation
    /// The device whose log it stands in.
    let device: DeviceID
    /// The decoded body.
    let content: Content

    /// Decodes an operation; `nil` for one that tells of no epoch, or in a way that this version does not read.
    /// - Parameters:
    ///   - operation: The operation.
    ///   - body: What it says.
    ///   - device: The device whose log it stands in.
    init?(_ operation: Operation, _ body: ControlBody, by device: DeviceID) {
        do {
            switch body {
            case .epoch(let bytes): content = .begins(try KeyEpoch(decoding: bytes))
            case .delivery(let bytes): content = .delivers(try KeyDelivery(decoding: bytes))
            case .epochAgain(let bytes):
                // Its hash is the epoch's name, so nobody can say another thing in its place.
                let repeated = try Operation(decoding: bytes)
                guard repeated.header.bodyHash == Operation.bodyHash(repeated.body),
                    case .epoch(let content) = try ControlBody(decoding: repeated.body)
                else { return nil }
                self.content = .repeats(repeated.header, try KeyEpoch(decoding: content))
            case .keyRequest(let bytes): content = .requests(try KeyRequest(decoding: bytes).epochs)
            default: return nil
            }
        } catch {
            // A body that cannot be decoded has no effect.
            return nil
        }
        (self.operation, self.device) = (operation, device)
    }
}
