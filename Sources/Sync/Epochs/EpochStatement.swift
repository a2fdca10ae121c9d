import Records
import Wire

/// A decoded control operation about the epochs of a zone's key.
struct EpochStatement: Sendable {
    /// The kinds of such operations.
    enum Content: Sendable {
        /// It begins an epoch, which its hash names.
        case begins(KeyEpoch)
        /// It delivers a key.
        case delivers(KeyDelivery)
        /// It repeats the operation that begins an epoch.
        case repeats(OperationHeader, KeyEpoch)
        /// Its author lacks the keys of these epochs.
        case requests([Hash])
    }

    /// The operation.
    let operation: Operation
    /// The device that wrote the log.
    let device: DeviceID
    /// The decoded body.
    let content: Content

    /// Decodes an operation; `nil` for one that is not about epochs, or whose form this version does not read.
    /// - Parameters:
    ///   - operation: The operation.
    ///   - body: The body of the operation.
    ///   - device: The device that wrote the log.
    init?(_ operation: Operation, _ body: ControlBody, by device: DeviceID) {
        do {
            switch body {
            case .epoch(let bytes): content = .begins(try KeyEpoch(decoding: bytes))
            case .delivery(let bytes): content = .delivers(try KeyDelivery(decoding: bytes))
            case .epochAgain(let bytes):
                // Its hash is the epoch's name, so no author can replace its content.
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
