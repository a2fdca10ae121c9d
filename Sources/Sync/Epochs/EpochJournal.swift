import Records
import Sodium
import Wire

/// The statements about a zone's epochs in the order in which they were entered in the graph, so that only new ones
/// are processed.
struct EpochJournal: Sendable {
    /// The epoch of each statement; `nil` for a statement that leads to no key.
    private var epochs: [Hash?] = []
    /// By place, a name of all statements up to there with their order: a transaction with other entries may have
    /// been rolled back.
    private var names: [Hash] = []
    /// The beginning of the chain of names.
    private let seed: Hash

    /// A journal without statements.
    init() { seed = .zero }

    /// A journal of statements that came in another order than they are entered in.
    ///
    /// An earlier one may lead to a later one here, so no place of another journal is one of this.
    init(_ statements: [EpochStatement]) {
        seed = Hash(digesting: .epochJournal, statements.flatMap(\.operation.header.leafHash.bytes))
        for statement in statements { note(statement) }
    }

    /// Notes a statement that leads to none that comes later.
    mutating func note(_ statement: EpochStatement) {
        let epoch: Hash? =
            switch statement.content {
            case .begins: statement.operation.header.leafHash
            case .repeats(let header, _): header.leafHash
            case .delivers(let delivery): delivery.epoch
            case .requests: nil
            }
        let before = names.last ?? seed
        epochs.append(epoch)
        names.append(Hash(digesting: .epochJournal, before.bytes + statement.operation.header.leafHash.bytes))
        assert(epochs.count == names.count, "each statement in the journal has a name")
    }

    /// The place behind all of them.
    /// - Parameter device: The device that they were processed for.
    /// - Returns: The place.
    func end(for device: DeviceID) -> EpochMark {
        EpochMark(device: device, count: names.count, hash: names.last ?? .zero)
    }

    /// Returns the epochs of the statements behind a place, in order.
    /// - Returns: `nil` where the place is not one of these statements, or is another device's: then all have to be
    ///   processed.
    func epochs(behind mark: EpochMark?, for device: DeviceID) -> [Hash]? {
        guard let mark, mark.device == device, mark.count <= names.count,
            mark.hash == (mark.count == 0 ? .zero : names[mark.count - 1])
        else { return nil }
        return epochs[mark.count...].compactMap { $0 }
    }
}
